// The reference's check: limits, words and JSON.
#include "dataset/quality.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace billow::dataset {
namespace {

ClipResult result_with(const ClipQuality& quality) {
  ClipResult r;
  r.index = 3, r.name = "captured:07_03", r.frames = 120;
  r.quality = quality;
  r.rejections = rejections(quality, 1000, 30);
  r.usable = r.rejections.empty();
  return r;
}

TEST(Quality, LimitsAreInclusive) {
  EXPECT_TRUE(is_usable({kMaxWorstStrain, kMaxDepth, 30}, 1000));
  EXPECT_FALSE(is_usable({kMaxWorstStrain + 0.001, 0, 0}, 1000));
  EXPECT_FALSE(is_usable({0, kMaxDepth + 0.001, 0}, 1000));
  EXPECT_FALSE(is_usable({0, 0, 31}, 1000));
  EXPECT_FALSE(is_usable({std::nan(""), 0, 0}, 1000));
}

TEST(Quality, SaysWhyAndWhen) {
  EXPECT_EQ(in_words(result_with({0.1, 0, 0})), "passes");
  EXPECT_EQ(in_words(result_with({0.63, 0, 0, 45, 0, 0})),
            "cloth stretched: 63 % at the 99th percentile in its worst frame, allowed 25 %, worst at 1.50 s");
  EXPECT_EQ(in_words(result_with({0.1, 0.034, 60, 45, 30, 90})),
            "cloth caught: 34 mm inside the body in its worst frame, allowed 20 mm, worst at 1.00 s; "
            "tangled: 60 edges through other cloth in an average frame, allowed 30, worst at 3.00 s");
  // Older data sets do not know the frame.
  EXPECT_EQ(in_words(result_with({0.63, 0, 0})),
            "cloth stretched: 63 % at the 99th percentile in its worst frame, allowed 25 %");
  ClipResult old = result_with({0.1, 0, 0});
  old.usable = false;
  EXPECT_EQ(in_words(old), "rejected when it was made");
}

TEST(Quality, SummariesCountClips) {
  const std::vector<ClipResult> results{result_with({0.1, 0, 0}), result_with({0.63, 0, 0, 45, 0, 0})};
  EXPECT_EQ(usable_frames(results), 120u);
  EXPECT_EQ(summary_in_words(results).find(
                "2 clips of 240 frames: 1 pass the reference's check with 120 frames, 1 are rejected\n"
                "rejected: clip 3 (captured:07_03): cloth stretched"),
            0u)
      << summary_in_words(results);
  const auto json = nlohmann::json::parse(summary_as_json(results, "a \"folder\"", 30));
  EXPECT_EQ(json["folder"], "a \"folder\"");
  EXPECT_EQ(json["passed"], 1);
  EXPECT_EQ(json["usable_frames"], 120);
  EXPECT_TRUE(json["results"][0]["rejected"].empty());
  EXPECT_TRUE(json["results"][0]["strain_worst_s"].is_null());
  EXPECT_EQ(json["results"][1]["rejected"][0]["measure"], "stretched");
  EXPECT_EQ(json["results"][1]["rejected"][0]["seconds"], 1.5);
  EXPECT_TRUE(nlohmann::json::parse(summary_as_json({}, "", 30))["results"].empty());
}

}  // namespace
}  // namespace billow::dataset
