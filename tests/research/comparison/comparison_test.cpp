// A complete comparison of a small garment, and how it is written.
#include "research/comparison/comparison.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "learn/patch_fit.h"
#include "learn/pca.h"
#include "learn/ridge.h"
#include "offline/evaluate/small_set.h"
#include "research/comparison/baselines.h"
#include "research/whole_cloth/bases.h"

namespace billow::research::comparison_test {
namespace {

using evaluate::embedded_bones;
using evaluate::rope_bones;
using testing::SmallSet;

V3 waving(V3 p, size_t clip, size_t frame) {
  const float t = 0.2f * static_cast<float>(frame + 31 * clip), hang = 1.4f - p.y;
  return p + V3{0.1f * hang * std::sin(1.3f * t), 0, 0.3f * hang * std::sin(t + 3 * p.y + 2 * p.x)};
}

// The keys that readers of the JSON rely on, for both forms of a model.
void expect_all_keys(const nlohmann::json& json) {
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
  for (const char* gap : {"rope_gap", "gru_gap"}) {
    for (const char* key : {"rms_mm", "chaos_floor_mm", "ratio"})
      EXPECT_TRUE(json.at(gap).at(key).is_number());
    for (const char* set : kSetNames) EXPECT_TRUE(json.at(gap).at("sets").at(set).at("rms_mm").is_number());
  }
}

class ComparisonTest : public ::testing::Test {
 protected:
  ComparisonTest()
      : set_({std::string(40, 't') + "vvvhhh", std::string(30, 't') + "vh", std::string(20, 'u')}, waving,
             [](V3 p, size_t c, size_t f) {
               return waving(p, c, f) + V3{0, 0, 0.02f * (1.4f - p.y)};
             }),
        frames_(set_.frames()) {
    // Two components of the cloth, then two of the residual.
    const auto train = frames_.of(dataset::Part::kTrain);
    const Matrix bones = learn::bone_matrix(frames_, train, learn::Source::kEmbedded);
    const std::vector<uint32_t> groups(train.size(), 0);
    const auto fit = [&](const learn::Rows& rows, learn::Stage& stage) {
      stage.basis = learn::principal_components(rows, {.components = 2}).basis;
      stage.network = learn::fit_ridge(bones, learn::coefficients(rows, stage.basis), groups, {}).network;
    };
    fit(learn::cloth_rows(frames_, train), model_.skinning);
    fit(residual_rows(frames_, train, bones, model_.skinning), model_.shape);
  }

  // The same cloth in patches. The layers add a small offset, so that shape differs from skinning.
  learn::PatchModel patches(size_t components) const {
    const auto samples =
        learn::patch_samples(frames_, frames_.of(dataset::Part::kTrain), learn::Source::kEmbedded, nullptr);
    learn::PatchFitOptions options;
    options.components = components;
    std::vector<learn::PatchRows> rows;
    learn::PatchModel model = learn::fit_patches(frames_, samples, samples.size(), nullptr, options, rows);
    for (learn::Network& n : model.networks)
      n.layers = {
          {Matrix::Zero(n.linear.rows(), n.linear.cols()), learn::Vector::Constant(n.linear.rows(), 0.01f)}};
    return model;
  }

  SmallSet set_;
  Frames frames_;
  learn::Model model_;
};

TEST_F(ComparisonTest, TestClipsAloneHaveNoBaselines) {
  const SmallSet test({std::string(40, 'u')}, waving);
  const Frames frames = test.frames();
  for (const learn::ClothModel& model : {learn::ClothModel(model_), learn::ClothModel(patches(2))}) {
    const Results r = compare(frames, model, {});
    EXPECT_TRUE(r.baselines.empty() && r.floors.empty());
    EXPECT_EQ(r.sources[0].measured.sets[3].frames, 40u);
    EXPECT_TRUE(nlohmann::json::parse(to_json(r)).at("sets").contains("unseen"));
    EXPECT_FALSE(to_html(r).empty() || to_text(r).empty());
  }
}

TEST_F(ComparisonTest, NothingIsBelowTheFloor) {
  const Results r = compare(frames_, model_, {});
  ASSERT_EQ(r.sources.size(), 2u);
  ASSERT_EQ(r.baselines.size(), 5u);
  const auto name = [](const Named& n) { return n.name; };
  EXPECT_EQ(name(r.sources[0]), "embedded");
  EXPECT_EQ(name(r.sources[1]), "rope");
  for (size_t s = 0; s < kSets.size(); ++s) {
    const double floor = r.floors[0].measured.sets[s].rmse_mm * (1 - 1e-4);
    EXPECT_LE(r.floors[0].measured.sets[s].rmse_mm, r.floors[1].measured.sets[s].rmse_mm);
    EXPECT_GE(r.skinning_only[0].measured.sets[s].rmse_mm, r.floors[1].measured.sets[s].rmse_mm * (1 - 1e-4));
    for (const Named& n : r.sources) EXPECT_GE(n.measured.sets[s].rmse_mm, floor) << n.name;
    for (const Named& n : r.baselines) {
      if (!n.name.starts_with("ridge")) continue;  // the others do not use the basis
      EXPECT_GE(n.measured.sets[s].rmse_mm, floor) << n.name;
    }
  }
  EXPECT_LT(r.sources[0].measured.sets[3].rmse_mm, r.skinning_only[0].measured.sets[3].rmse_mm);
  EXPECT_GT(r.sources[1].measured.sets[3].rmse_mm, r.sources[0].measured.sets[3].rmse_mm);
  EXPECT_NEAR(r.gaps[0].unseen.rms_mm, r.gaps[0].unseen.bias_mm, 1e-3) << "ropes have a constant offset only";
}

TEST_F(ComparisonTest, WritesWhatWasMeasured) {
  ComparisonOptions options;
  options.more_sources.push_back({"gru", rope_bones(frames_).bones});
  const Results r = compare(frames_, model_, options);
  const auto json = nlohmann::json::parse(to_json(r));
  expect_all_keys(json);
  EXPECT_EQ(json.at("sets").at("unseen").at("gru").at("rmse_mm"),
            json.at("sets").at("unseen").at("rope").at("rmse_mm"));

  const std::string html = to_html(r), text = to_text(r);
  for (const std::string& page : {html, text}) {
    EXPECT_EQ(page.find("nan"), std::string::npos);
    EXPECT_EQ(page.find("inf"), std::string::npos);
    EXPECT_NE(page.find("gru"), std::string::npos);
  }
  EXPECT_EQ(html.find("http"), std::string::npos) << "no external resources";
  EXPECT_NE(html.find("<svg"), std::string::npos);
}

TEST_F(ComparisonTest, PatchesAreMeasuredLikeTheWhole) {
  ComparisonOptions options;
  options.more_sources.push_back({"gru", rope_bones(frames_).bones});
  options.floor_components = 3;
  const Results r = compare(frames_, patches(4), options);
  EXPECT_EQ(r.floor_components, 3);
  ASSERT_EQ(r.floors.size(), 2u);
  EXPECT_EQ(r.floors[1].name, "patch_floor");
  for (size_t s = 0; s < kSets.size(); ++s) {
    const auto rmse = [s](const Named& n) { return n.measured.sets[s].rmse_mm; };
    EXPECT_GT(rmse(r.floors[0]), 0);
    EXPECT_LE(rmse(r.floors[1]), rmse(r.skinning_only[0]) * (1 + 1e-3));
    EXPECT_LT(rmse(r.floors[1]), rmse(r.sources[0]));
    EXPECT_GT(rmse(r.sources[0]), rmse(r.skinning_only[0])) << "the layers only add an offset";
    EXPECT_GT(rmse(r.skinning_only[1]), rmse(r.skinning_only[0])) << "ropes have an offset";
  }
  const auto json = nlohmann::json::parse(to_json(r));
  expect_all_keys(json);
  EXPECT_TRUE(json.at("patch_floor").at("unseen").at("rmse_mm").is_number());
  EXPECT_NE(to_html(r).find("patch floor"), std::string::npos);
}

TEST_F(ComparisonTest, PatchesThatCanExpressEverythingHaveNoFloor) {
  const learn::PatchModel model = patches(1000);
  const Predictor p = patch_projection("", frames_, model);
  const Measured m = measure(frames_, {&p, 1}, {.everything = false})[0];
  EXPECT_LT(m.sets[0].rmse_mm, 0.01);
}

TEST_F(ComparisonTest, RidgeIsTheBetterOfTwo) {
  const learn::Basis basis = joined(model_.skinning.basis, model_.shape.basis);
  const Baselines baselines(frames_, basis, nullptr, 0);
  const BoneSource source = embedded_bones(frames_);
  const std::vector<Predictor> all = baselines.on(source);
  const std::vector<Measured> measured = measure(frames_, all, {.everything = false});
  double plain = 0, mirrored = 0;
  for (size_t i = 0; i < all.size(); ++i) {
    if (all[i].name == kRidge) plain = measured[i].sets[3].rmse_mm;
    if (all[i].name == kMirroredRidge) mirrored = measured[i].sets[3].rmse_mm;
  }
  ASSERT_GT(mirrored, 0) << "the sheet is symmetric";
  ASSERT_NE(plain, mirrored);
  const Results r = compare(frames_, model_, {});
  EXPECT_EQ(r.ridge_mirrored, mirrored < plain);
  for (const auto& list : {r.baselines, r.rope_baselines}) {
    size_t found = 0;
    for (const Named& n : list) {
      EXPECT_NE(n.name, kMirroredRidge);
      found += n.name == kRidge;
    }
    EXPECT_EQ(found, 1u);
  }
  for (const Named& n : r.baselines)
    if (n.name == kRidge) {
      EXPECT_EQ(n.measured.sets[3].rmse_mm, std::min(plain, mirrored));
    }
}

TEST_F(ComparisonTest, RopeBonesMayBeReplaced) {
  frames_.replace_ropes(embedded_bones(frames_).bones);
  const Results r = compare(frames_, model_, {});
  EXPECT_EQ(r.gaps[0].unseen.rms_mm, 0);
  EXPECT_EQ(r.sources[1].measured.sets[3].rmse_mm, r.sources[0].measured.sets[3].rmse_mm);
}

TEST_F(ComparisonTest, WorksWithoutAShapeNetworkOrUnseenClips) {
  const SmallSet set({std::string(10, 't')}, waving);
  const Frames frames = set.frames();
  learn::Model model{model_.skinning, {}};
  const Results r = compare(frames, model, {});
  EXPECT_EQ(r.sources[0].measured.sets[0].rmse_mm, r.skinning_only[0].measured.sets[0].rmse_mm);
  EXPECT_FALSE(nlohmann::json::parse(to_json(r)).at("sets").contains("unseen"));
  EXPECT_EQ(to_html(r).find("nan"), std::string::npos);
  EXPECT_NE(to_text(r).find(" -"), std::string::npos);
}

TEST_F(ComparisonTest, RefusesBonesOfOtherFrames) {
  ComparisonOptions options;
  options.more_sources.push_back({"gru", Matrix::Zero(3, 51)});
  try {
    compare(frames_, model_, options);
    FAIL();
  } catch (const std::invalid_argument& e) {
    EXPECT_NE(std::string(e.what()).find("gru: expected 98"), std::string::npos) << e.what();
  }
}

}  // namespace
}  // namespace billow::research::comparison_test
