// Plans of data sets: the split of frames, seeds, and user clips.
#include "dataset/plan.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace billow::dataset {
namespace {

size_t count(const std::vector<PlannedClip>& clips, Part part) {
  size_t n = 0;
  for (const PlannedClip& c : clips)
    n += static_cast<size_t>(std::count(c.parts.begin(), c.parts.end(), static_cast<char>(part)));
  return n;
}

TEST(Plan, SplitsTheFrames) {
  Request request;
  const std::vector<PlannedClip> clips = plan(request);
  EXPECT_EQ(count(clips, Part::kTrain), 4000u);
  EXPECT_EQ(count(clips, Part::kValidation), 500u);
  EXPECT_EQ(count(clips, Part::kHoldout), 500u);
  EXPECT_EQ(count(clips, Part::kUnseen), 900u);
  std::set<std::string> names;
  for (const PlannedClip& c : clips) {
    EXPECT_EQ(c.parts.size(), c.frames);
    EXPECT_TRUE(names.insert(c.name).second) << c.name << " comes twice";
    // A clip is unseen as a whole or not at all.
    const auto unseen = static_cast<size_t>(std::count(c.parts.begin(), c.parts.end(), 'u'));
    EXPECT_TRUE(unseen == 0 || unseen == c.frames);
  }
}

// Few frames are legal, and each part needs one: without validation there is no best epoch to choose.
TEST(Plan, EvenFewFramesAreOfAllParts) {
  for (size_t frames = kMinFrames; frames < 25; ++frames) {
    Request request;
    request.frames = frames, request.unseen = 0;
    const std::vector<PlannedClip> clips = plan(request);
    EXPECT_EQ(count(clips, Part::kValidation), std::max<size_t>(1, frames / 10)) << frames;
    EXPECT_EQ(count(clips, Part::kHoldout), std::max<size_t>(1, frames / 10)) << frames;
    EXPECT_GE(count(clips, Part::kTrain), 1u) << frames;
  }
}

TEST(Plan, IsSeeded) {
  Request request;
  request.frames = 400, request.unseen = 100;
  const auto one = plan(request), again = plan(request);
  request.seed = 2;
  const auto other = plan(request);
  ASSERT_EQ(one.size(), again.size());
  bool same = one.size() == other.size();
  for (size_t c = 0; c < one.size(); ++c) {
    EXPECT_EQ(one[c].name, again[c].name);
    EXPECT_EQ(one[c].parts, again[c].parts);
    same = same && one[c].parts == other[c].parts;
  }
  EXPECT_FALSE(same);
}

TEST(Plan, TakesOwnClipsFirst) {
  motion::Clip clip;
  clip.name = "mine";
  clip.frames_per_second = 60;
  clip.frames.resize(121);
  for (body::Pose& pose : clip.frames) pose.rotations.assign(22, Quat{0, 0, 0, 1});
  Request request;
  request.clips.push_back(clip);
  request.frames = 200, request.unseen = 0;
  const auto clips = plan(request);
  EXPECT_EQ(clips[0].name, "mine");
  EXPECT_EQ(clips[0].frames, 61u);
  size_t frames = 0;
  for (const PlannedClip& c : clips) frames += c.frames;
  EXPECT_EQ(frames, 200u);
}

TEST(Plan, RefusesInvalidRequests) {
  Request request;
  request.frames = 0;
  EXPECT_THROW(plan(request), std::invalid_argument);
  request.frames = 100, request.frames_per_second = 0;
  EXPECT_THROW(plan(request), std::invalid_argument);
  request.frames_per_second = 30, request.mix = "tango";
  EXPECT_THROW(plan(request), std::invalid_argument);
}

}  // namespace
}  // namespace billow::dataset
