// A whole evaluation of a small garment, and what is written of it.
#include "evaluate/report.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "learn/pca.h"
#include "learn/ridge.h"
#include "offline/evaluate/small_set.h"

namespace billow::evaluate {
namespace {

using testing::SmallSet;

V3 waving(V3 p, size_t clip, size_t frame) {
  const float t = 0.2f * static_cast<float>(frame + 31 * clip), hang = 1.4f - p.y;
  return p + V3{0.1f * hang * std::sin(1.3f * t), 0, 0.3f * hang * std::sin(t + 3 * p.y + 2 * p.x)};
}

class EvaluateTest : public ::testing::Test {
 protected:
  EvaluateTest()
      : set_({std::string(40, 't') + "vvvhhh", std::string(30, 't') + "vh", std::string(20, 'u')}, waving,
             [](V3 p, size_t c, size_t f) {
               return waving(p, c, f) + V3{0, 0, 0.02f * (1.4f - p.y)};
             }),
        frames_(set_.frames()) {
    // Two components of the cloth, then two of what is left.
    const auto train = frames_.of(dataset::Part::kTrain);
    const Matrix bones = learn::bone_matrix(frames_, train, learn::Source::kEmbedded);
    const std::vector<uint32_t> groups(train.size(), 0);
    const auto fit = [&](const learn::Rows& rows, learn::Stage& stage) {
      stage.basis = learn::principal_components(rows, {.components = 2}).basis;
      stage.network = learn::fit_ridge(bones, learn::coefficients(rows, stage.basis), groups, {}).network;
    };
    fit(learn::cloth_rows(frames_, train), model_.skinning);
    fit(learn::residual_rows(frames_, train, bones, model_.skinning), model_.shape);
  }

  SmallSet set_;
  Frames frames_;
  learn::Model model_;
};

TEST_F(EvaluateTest, NothingIsBelowTheFloor) {
  const Report r = evaluate(frames_, model_, {});
  ASSERT_EQ(r.sources.size(), 2u);
  ASSERT_EQ(r.baselines.size(), 5u);
  const auto name = [](const Named& n) { return n.name; };
  EXPECT_EQ(name(r.sources[0]), "embedded");
  EXPECT_EQ(name(r.sources[1]), "rope");
  for (size_t s = 0; s < kSets.size(); ++s) {
    const double floor = r.floor.sets[s].rmse_mm * (1 - 1e-4);
    EXPECT_LE(r.floor.sets[s].rmse_mm, r.skinning_floor.sets[s].rmse_mm);
    EXPECT_GE(r.skinning_only[0].measured.sets[s].rmse_mm, r.skinning_floor.sets[s].rmse_mm * (1 - 1e-4));
    for (const Named& n : r.sources) EXPECT_GE(n.measured.sets[s].rmse_mm, floor) << n.name;
    for (const Named& n : r.baselines) {
      if (!n.name.starts_with("ridge")) continue;  // others are not made of the bases
      EXPECT_GE(n.measured.sets[s].rmse_mm, floor) << n.name;
    }
  }
  EXPECT_LT(r.sources[0].measured.sets[3].rmse_mm, r.skinning_only[0].measured.sets[3].rmse_mm);
  EXPECT_GT(r.sources[1].measured.sets[3].rmse_mm, r.sources[0].measured.sets[3].rmse_mm);
  EXPECT_NEAR(r.rope_gap.rms_mm, r.rope_gap.bias_mm, 1e-3) << "ropes hang elsewhere, and do nothing else";
}

TEST_F(EvaluateTest, WritesWhatWasMeasured) {
  Options options;
  options.more_sources.push_back({"gru", rope_bones(frames_).bones});
  const Report r = evaluate(frames_, model_, options);
  const auto json = nlohmann::json::parse(to_json(r));
  for (const char* set : kSetNames) {
    for (const char* source : {"embedded", "rope", "gru"}) {
      const auto& at = json.at("sets").at(set).at(source);
      for (const char* key : {"rmse_mm", "p95_mm", "max_mm", "sted"}) EXPECT_TRUE(at.at(key).is_number());
      for (const char* depth : {"0", "1", "2", "5"}) {
        EXPECT_TRUE(at.at("penetrating_percent").at(depth).is_number());
        EXPECT_TRUE(at.at("pushed_out").at("penetrating_percent").at(depth).is_number());
      }
      EXPECT_TRUE(at.at("liveliness").at("velocity_energy").is_number());
    }
    EXPECT_TRUE(json.at("floor").at(set).at("rmse_mm").is_number());
    for (const char* baseline : {"lbs", "dqs", "ridge", "nearest"})
      EXPECT_TRUE(json.at("baselines").at(baseline).at(set).at("rmse_mm").is_number());
    for (const char* key : {"mean", "p99"})
      EXPECT_TRUE(json.at("edge_strain_percent").at(set).at(key).is_number());
    EXPECT_TRUE(json.at("skinning_only").at(set).at("embedded").at("rmse_mm").is_number());
  }
  for (const char* key : {"rms_mm", "chaos_floor_mm", "ratio"})
    EXPECT_TRUE(json.at("rope_gap").at(key).is_number());
  EXPECT_EQ(json.at("sets").at("unseen").at("gru").at("rmse_mm"),
            json.at("sets").at("unseen").at("rope").at("rmse_mm"));

  const std::string html = to_html(r), text = to_text(r);
  for (const std::string& page : {html, text}) {
    EXPECT_EQ(page.find("nan"), std::string::npos);
    EXPECT_EQ(page.find("inf"), std::string::npos);
    EXPECT_NE(page.find("gru"), std::string::npos);
  }
  EXPECT_EQ(html.find("http"), std::string::npos) << "nothing from elsewhere";
  EXPECT_NE(html.find("<svg"), std::string::npos);
}

TEST_F(EvaluateTest, WorksWithoutAShapeNetworkOrUnseenClips) {
  const SmallSet set({std::string(10, 't')}, waving);
  const Frames frames = set.frames();
  learn::Model model{model_.skinning, {}};
  const Report r = evaluate(frames, model, {});
  EXPECT_EQ(r.sources[0].measured.sets[0].rmse_mm, r.skinning_only[0].measured.sets[0].rmse_mm);
  EXPECT_FALSE(nlohmann::json::parse(to_json(r)).at("sets").contains("unseen"));
  EXPECT_EQ(to_html(r).find("nan"), std::string::npos);
  EXPECT_NE(to_text(r).find(" -"), std::string::npos);
}

TEST_F(EvaluateTest, RefusesWhatDoesNotGoTogether) {
  learn::Model other = model_;
  other.skinning.basis.mean.conservativeResize(9);
  EXPECT_THROW(evaluate(frames_, other, {}), std::invalid_argument);
  Options options;
  options.more_sources.push_back({"gru", Matrix::Zero(3, 51)});
  try {
    evaluate(frames_, model_, options);
    FAIL();
  } catch (const std::invalid_argument& e) {
    EXPECT_NE(std::string(e.what()).find("gru: expected 98"), std::string::npos) << e.what();
  }
}

}  // namespace
}  // namespace billow::evaluate
