// Round trips of garment files, and their quantisation errors.
#include "pack/garment_asset.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "asset/format.h"
#include "decode/tile.h"
#include "pack/sample_garment.h"

namespace billow::pack {
namespace {

class GarmentAsset : public ::testing::Test {
 protected:
  GarmentAsset()
      : path_(std::filesystem::temp_directory_path() /
              ("billow_asset_" + std::to_string(getpid()) + "_" +
               ::testing::UnitTest::GetInstance()->current_test_info()->name() + ".billow")) {}
  ~GarmentAsset() override { std::filesystem::remove(path_); }

  GarmentData round_trip(const GarmentData& p, Precision precision) {
    report_ = write_garment_asset(p, path_, {precision});
    return read_garment_asset(path_);
  }
  static GarmentData sample(const SampleOptions& options = {}) {
    return sample_garment(body::make_person(), options);
  }

  std::filesystem::path path_;
  PackReport report_;
};

constexpr Eigen::Index kFrames = 200;

learn::Matrix cloth_of(const learn::Model& model, size_t, size_t bones) {
  srand(3);
  return model(learn::Matrix::Random(kFrames, static_cast<Eigen::Index>(3 * bones)) * 0.35f);
}

learn::Matrix cloth_of(const learn::PatchModel& model, size_t vertices, size_t bones) {
  srand(3);
  const learn::PatchInputs inputs{learn::Matrix::Random(kFrames, static_cast<Eigen::Index>(3 * bones)) * 0.1f,
                                  learn::Matrix::Constant(kFrames, 3, 0.577f)};
  learn::Matrix out(kFrames, static_cast<Eigen::Index>(3 * vertices));
  model(inputs, true, out);
  return out;
}

// RMS over vertices, mm, for random bones.
double difference(const GarmentData& a, const GarmentData& b) {
  const auto cloth = [&](const GarmentData& p) {
    return std::visit(
        [&](const auto& model) { return cloth_of(model, p.garment.size(), p.garment.bones.size()); },
        p.model);
  };
  return 1000 * std::sqrt(static_cast<double>((cloth(a) - cloth(b)).squaredNorm()) /
                          (kFrames * static_cast<double>(a.garment.size())));
}

// mm: rounding error of scaling by square roots of shares and back.
constexpr double kRootRounding = 2e-3;

learn::Model& whole_cloth(GarmentData& p) { return std::get<learn::Model>(p.model); }
learn::PatchModel& patches(GarmentData& p) { return std::get<learn::PatchModel>(p.model); }

TEST_F(GarmentAsset, RoundTripKeepsAllButTheModelledShape) {
  GarmentData p = sample();
  p.settings.mass.point_count = 2;
  p.settings.mass.points[1] = 0.5f;
  p.settings.teleport_angle = 0.75f;
  p.extra["gru"] = std::string("\0some\xff", 6);
  const GarmentData q = round_trip(p, Precision::kFloat32);
  EXPECT_EQ(q.garment.name, p.garment.name);
  EXPECT_EQ(q.garment.key_joint, p.garment.key_joint);
  EXPECT_EQ(q.garment.triangles, p.garment.triangles);
  EXPECT_EQ(q.garment.pattern_uvs, p.garment.pattern_uvs);
  EXPECT_EQ(q.garment.chains, p.garment.chains);
  EXPECT_EQ(q.garment.closed, p.garment.closed);
  ASSERT_EQ(q.garment.rest.size(), p.garment.rest.size());
  EXPECT_EQ(std::memcmp(q.garment.rest.data(), p.garment.rest.data(), 12 * p.garment.size()), 0);
  ASSERT_EQ(q.garment.attachments.size(), p.garment.attachments.size());
  EXPECT_EQ(q.garment.attachments[3].joints, p.garment.attachments[3].joints);
  EXPECT_EQ(q.garment.bones[2].vertices, p.garment.bones[2].vertices);
  ASSERT_EQ(q.skeleton.size(), p.skeleton.size());
  for (size_t j = 0; j < p.skeleton.size(); ++j) {
    EXPECT_EQ(q.skeleton.joints[j].name, p.skeleton.joints[j].name);
    EXPECT_EQ(q.skeleton.joints[j].parent, p.skeleton.joints[j].parent);
    EXPECT_TRUE(same(q.skeleton.joints[j].rest, p.skeleton.joints[j].rest));
  }
  EXPECT_EQ(q.collider_names, p.collider_names);
  EXPECT_EQ(q.colliders[4].radius, p.colliders[4].radius);
  EXPECT_EQ(q.colliders[4].blend_with, p.colliders[4].blend_with);
  EXPECT_EQ(std::memcmp(&q.settings, &p.settings, sizeof p.settings), 0);
  EXPECT_EQ(q.training, p.training);
  EXPECT_EQ(q.extra, p.extra);
}

// Largest difference of a weight.
float blend_difference(const GarmentData& p, const GarmentData& q) {
  float largest = p.blend.size() == q.blend.size() ? 0.0f : 1.0f;
  for (size_t v = 0; v < std::min(p.blend.size(), q.blend.size()); ++v)
    for (size_t k = 0; k < kBonesPerVertex; ++k)
      largest = std::max(largest, p.blend[v].bones[k] == q.blend[v].bones[k]
                                      ? std::fabs(p.blend[v].weights[k] - q.blend[v].weights[k])
                                      : 1.0f);
  return largest;
}

TEST_F(GarmentAsset, BlendWeightsAreQuantisedWithByteAndWordIndices) {
  // 24 and 288 bones: indices of one byte, and of two.
  for (const uint32_t chains : {4u, 48u}) {
    const GarmentData p = sample({.across = 60, .chains = chains});
    EXPECT_LT(blend_difference(p, round_trip(p, Precision::kFloat32)), 1.0f / 255);
  }
  EXPECT_TRUE(round_trip(sample({.blend = false}), Precision::kFloat32).blend.empty());
}

TEST_F(GarmentAsset, KeepsTheForceOfTheChains) {
  GarmentData p = sample();
  EXPECT_TRUE(round_trip(p, Precision::kInt8).force.layers.empty());
  constexpr Eigen::Index kInputs = asset::kForceInputs;
  learn::Network& force = p.force;
  force.activation = learn::Activation::kGelu;
  force.mean = learn::Vector::Constant(kInputs, 0.5f);
  force.scale = learn::Vector::Constant(kInputs, 2);
  srand(1);
  force.layers = {{learn::Matrix::Random(8, kInputs), learn::Vector::Random(8)},
                  {learn::Matrix::Random(3, 8), learn::Vector::Random(3)}};
  const learn::Matrix inputs = learn::Matrix::Random(20, kInputs);
  const GarmentData q = round_trip(p, Precision::kInt8);
  EXPECT_LT((q.force(inputs) - force(inputs)).norm(), 0.02f * force(inputs).norm()) << "int8 weights";
  force.layers[1].weights.conservativeResize(2, 8), force.layers[1].bias.conservativeResize(2);
  EXPECT_THROW(round_trip(p, Precision::kInt8), std::invalid_argument) << "two outputs";
}

TEST_F(GarmentAsset, ChangedSectionsLeaveAllOthersAsTheyWere) {
  GarmentData p = sample();
  p.extra["gru"] = "units", p.extra["more"] = "else";
  const std::string file = pack_garment(p, {Precision::kInt8});
  p.settings.solver.substep_angle = 0.3f;
  for (learn::BlendWeights& w : p.blend) w = {{3, 0, 0, 0}, {0.25f, 0.75f, 0, 0}};
  const auto read = [&](const std::string& bytes) {
    std::ofstream(path_, std::ios::binary) << bytes;
    return read_garment_asset(path_);
  };
  const std::string changed = changed_sections(file, {"extra.gru"}, p);
  const GarmentData before = read(file), after = read(changed);
  EXPECT_EQ(difference(before, after), 0);
  EXPECT_EQ(after.garment.name, before.garment.name);
  EXPECT_EQ(after.extra.count("gru"), 0u);
  EXPECT_EQ(after.extra.at("more"), "else");
  EXPECT_EQ(after.settings.solver.substep_angle, 0.3f);
  EXPECT_EQ(after.settings.friction, before.settings.friction);
  EXPECT_LT(blend_difference(p, after), 1.0f / 255);
  GarmentData unblended = p;
  unblended.blend.clear();
  EXPECT_TRUE(read(changed_sections(changed, {}, unblended)).blend.empty());
  p.blend.pop_back();
  EXPECT_THROW(changed_sections(file, {}, p), std::invalid_argument);
  EXPECT_THROW(changed_sections("no garment", {}, unblended), std::runtime_error);
}

TEST_F(GarmentAsset, NonFiniteParametersAreRefusedAndLeaveNoFile) {
  GarmentData p = sample();
  std::get<learn::PatchModel>(p.model).networks[0].layers[0].bias[0] = NAN;
  EXPECT_THROW(write_garment_asset(p, path_, {Precision::kFloat32}), std::exception);
  EXPECT_FALSE(std::filesystem::exists(path_));
}

TEST_F(GarmentAsset, Float32RoundTripIsBitExact) {
  GarmentData p = sample({.patches = false}), q = round_trip(p, Precision::kFloat32);
  const learn::Model &a = whole_cloth(p), &b = whole_cloth(q);
  EXPECT_EQ(b.skinning.basis.modes, a.skinning.basis.modes);
  EXPECT_EQ(b.shape.basis.mean, a.shape.basis.mean);
  EXPECT_EQ(b.shape.basis.deviation, a.shape.basis.deviation);
  EXPECT_EQ(b.shape.network.linear, a.shape.network.linear);
  EXPECT_EQ(b.skinning.network.layers[1].weights, a.skinning.network.layers[1].weights);
  EXPECT_EQ(b.skinning.network.scale, a.skinning.network.scale);
  EXPECT_EQ(difference(p, q), 0);
}

TEST_F(GarmentAsset, RoundTripKeepsPatches) {
  GarmentData p = sample({.closed = true});
  patches(p).patches[4].network = 3, patches(p).patches[4].flipped = true;
  learn::Network& linear = patches(p).networks[3];
  linear.bias = learn::Vector::Constant(linear.linear.rows(), 0.02f);
  GarmentData q = round_trip(p, Precision::kFloat32);
  const learn::PatchModel &a = patches(p), &b = patches(q);
  ASSERT_EQ(b.patches.size(), a.patches.size());
  for (size_t k = 0; k < a.patches.size(); ++k) {
    EXPECT_EQ(b.patches[k].bone, a.patches[k].bone);
    EXPECT_EQ(b.patches[k].left, a.patches[k].left);
    EXPECT_EQ(b.patches[k].input_bones, a.patches[k].input_bones);
    EXPECT_EQ(b.patches[k].vertices, a.patches[k].vertices);
    ASSERT_EQ(b.patches[k].shares.size(), a.patches[k].shares.size());
    for (size_t i = 0; i < a.patches[k].shares.size(); ++i)
      EXPECT_NEAR(b.patches[k].shares[i], a.patches[k].shares[i], 1e-6f);
    EXPECT_EQ(b.patches[k].network, a.patches[k].network);
    EXPECT_EQ(b.patches[k].flipped, a.patches[k].flipped);
    EXPECT_EQ(b.bases[k].deviation, a.bases[k].deviation);
    EXPECT_TRUE(b.bases[k].modes.isApprox(a.bases[k].modes, 1e-6f));
    EXPECT_TRUE(b.bases[k].mean.isApprox(a.bases[k].mean, 1e-6f));
  }
  ASSERT_EQ(b.networks.size(), a.networks.size());
  for (size_t k = 0; k < a.networks.size(); ++k) {
    EXPECT_EQ(b.networks[k].mean, a.networks[k].mean);
    EXPECT_EQ(b.networks[k].layers[1].weights, a.networks[k].layers[1].weights);
    EXPECT_EQ(b.networks[k].layers[2].bias, a.networks[k].layers[2].bias);
    EXPECT_EQ(b.networks[k].linear, a.networks[k].linear);
  }
  EXPECT_EQ(b.networks[3].bias, linear.bias);
  EXPECT_LT(difference(p, q), kRootRounding);
}

TEST_F(GarmentAsset, PatchesMayHaveLayersOrLinearPathOnly) {
  GarmentData p = sample({.hidden = 0, .linear = false});
  GarmentData q = round_trip(p, Precision::kFloat32);
  EXPECT_EQ(patches(q).networks[1].linear.size(), 0);
  EXPECT_LT(difference(p, q), kRootRounding);
  p = sample();
  for (learn::Network& n : patches(p).networks) n.layers.clear();
  q = round_trip(p, Precision::kFloat32);
  EXPECT_TRUE(patches(q).networks[1].layers.empty());
  EXPECT_LT(difference(p, q), kRootRounding);
}

TEST_F(GarmentAsset, TheBiasOfTheLinearPathIsKept) {
  GarmentData p = sample({.patches = false});
  auto& network = whole_cloth(p).skinning.network;
  network.bias = learn::Vector::Constant(whole_cloth(p).skinning.basis.components(), 0.01f);
  EXPECT_NEAR(difference(p, round_trip(p, Precision::kFloat32)), 0,
              1e-3);  // mm; without the bias at least 0.1
}

SampleOptions medium(bool patches) {
  return {.across = 30,
          .down = 40,
          .patches = patches,
          .components = 16,
          .skinning_components = 20,
          .shape_components = 20};
}

// Sizes and errors of what is written: slow with sanitizers, which have nothing to find there that round trips have not.
using GarmentAssetSlow = GarmentAsset;

TEST_F(GarmentAssetSlow, ReportedErrorMatchesTheMeasuredOne) {
  for (const bool by_patches : {false, true}) {
    const GarmentData p = sample(medium(by_patches));
    double last = 1e9;
    for (const Precision s : {Precision::kInt8, Precision::kFloat16, Precision::kInt16}) {
      const GarmentData q = round_trip(p, s);
      const double measured = difference(p, q);
      EXPECT_GT(measured, 0.4 * report_.chosen.total()) << report_.chosen.name;
      EXPECT_LT(measured, 1.7 * report_.chosen.total()) << report_.chosen.name;
      EXPECT_LT(measured, last);
      last = measured;
    }
  }
}

TEST_F(GarmentAssetSlow, MixedPrecisionIsWithinItsErrorAndSmallerThanSingleFormatsThatAre) {
  for (const bool by_patches : {false, true}) {
    const GarmentData p = sample(medium(by_patches));
    const GarmentData q = round_trip(p, Precision::kMixed);
    EXPECT_LE(report_.chosen.total(), 0.1);
    EXPECT_LT(difference(p, q), 0.15);
    for (const QuantisationCost& other : report_.others) {
      if (other.total() <= 0.1) {
        EXPECT_LT(report_.chosen.bytes, other.bytes) << other.name;
      }
    }
  }
}

// Correlated bones, as on a body: GPTQ can compensate the error of one by another.
learn::PatchInputs correlated_frames(const GarmentData& p) {
  constexpr Eigen::Index kRows = 400, kMotions = 12;
  srand(3);
  const auto values = static_cast<Eigen::Index>(3 * p.garment.bones.size());
  learn::PatchInputs inputs;
  inputs.bones = 0.02f * learn::Matrix::Random(kRows, kMotions) * learn::Matrix::Random(kMotions, values);
  inputs.up = learn::Matrix::Zero(kRows, 3);
  inputs.up.col(1).setOnes();
  return inputs;
}

TEST_F(GarmentAssetSlow, CalibrationFramesMakeNetworksSmaller) {
  GarmentData p = sample(medium(true));
  const learn::PatchInputs frames = correlated_frames(p);
  round_trip(p, Precision::kMixed);
  const size_t without = report_.chosen.bytes;
  p.calibration = frames;
  const GarmentData q = round_trip(p, Precision::kMixed);
  EXPECT_LT(report_.chosen.bytes, 0.95 * static_cast<double>(without));
  EXPECT_LE(report_.chosen.total(), 0.1);
  // The measured error on these frames is close to the reported one.
  const auto rows = frames.bones.rows();
  const auto values = static_cast<Eigen::Index>(3 * p.garment.size());
  learn::Matrix expected(rows, values), found(rows, values);
  std::get<learn::PatchModel>(p.model)(frames, true, expected);
  std::get<learn::PatchModel>(q.model)(frames, true, found);
  const double error_mm = 1e3 * static_cast<double>((found - expected).norm()) /
                          std::sqrt(static_cast<double>(rows * values / 3));
  EXPECT_LT(error_mm, 1.2 * report_.chosen.total());
  EXPECT_GT(error_mm, 0);
}

TEST_F(GarmentAsset, ShapeAndLinearPathMayBeMissing) {
  GarmentData p = sample({.patches = false, .shape_components = 0, .linear = false});
  GarmentData q = round_trip(p, Precision::kFloat32);
  EXPECT_EQ(whole_cloth(q).shape.basis.components(), 0);
  EXPECT_EQ(whole_cloth(q).skinning.network.linear.size(), 0);
  EXPECT_EQ(difference(p, q), 0);
}

TEST_F(GarmentAsset, RefusesWhatCannotBeStored) {
  const auto refused = [](const GarmentData& p) {
    try {
      pack_garment(p);
    } catch (const std::invalid_argument& e) {
      return std::string(e.what());
    }
    return std::string("nothing");
  };
  GarmentData p = sample();
  p.colliders[1].shape = BILLOW_SHAPE_CUSTOM;
  EXPECT_NE(refused(p).find("collider 1: expected an analytic shape"), std::string::npos) << refused(p);
  p = sample();
  p.garment.rest.clear();
  EXPECT_NE(refused(p).find("draped"), std::string::npos);
  p = sample({.patches = false});
  whole_cloth(p).shape.basis.deviation.resize(1);
  EXPECT_NE(refused(p).find("shape, deviations: expected 4, found 1"), std::string::npos) << refused(p);
  p = sample({.patches = false});
  whole_cloth(p).skinning.network.layers[1].weights.resize(3, 3);
  EXPECT_NE(refused(p).find("inputs of a layer"), std::string::npos);
  p = sample();
  patches(p).bases[2].deviation.resize(1);
  EXPECT_NE(refused(p).find("patch 2, deviations: expected 18, found 1"), std::string::npos) << refused(p);
  p = sample();
  patches(p).patches[4].input_bones.pop_back();
  EXPECT_NE(refused(p).find("patch 4, input bones: expected 36, found 35"), std::string::npos) << refused(p);
  p = sample();
  patches(p).patches[1].shares[0] *= 0.9f;
  EXPECT_NE(refused(p).find("to add up to 1"), std::string::npos) << refused(p);
  p = sample();
  patches(p).networks[5].layers[1].weights.resize(3, 24);
  EXPECT_NE(refused(p).find("patch 5, outputs of a layer: expected 24, found 3"), std::string::npos);
  p = sample();
  p.blend[7].bones[1] = 24;
  EXPECT_NE(refused(p).find("blend weights of vertex 7: expected bones below 24"), std::string::npos);
  p = sample();
  p.blend[8].weights[0] += 0.5f;
  EXPECT_NE(refused(p).find("expected a sum of 1"), std::string::npos) << refused(p);
  p = sample();
  patches(p).patches[6].network = 99;
  EXPECT_NE(refused(p).find("patch 6: expected one of "), std::string::npos) << refused(p);
  p = sample();
  patches(p) = {};
  EXPECT_NE(refused(p).find("expected patches"), std::string::npos) << refused(p);
  EXPECT_THROW(precision_named("int7"), std::invalid_argument);
}

TEST_F(GarmentAsset, ReadingSaysWhichFileAndWhy) {
  std::ofstream(path_) << "no garment";
  try {
    read_garment_asset(path_);
    FAIL();
  } catch (const std::runtime_error& e) {
    EXPECT_NE(std::string(e.what()).find(path_.filename().string() + ": expected a garment file"),
              std::string::npos);
  }
  EXPECT_THROW(read_garment_asset(path_.string() + ".missing"), std::runtime_error);
}

}  // namespace
}  // namespace billow::pack
