// Garment files there and back, and what their storage costs.
#include "pack/garment_asset.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "decode/tile.h"
#include "pack/change_sections.h"
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

  Packed there_and_back(const Packed& p, Storage storage) {
    report_ = write_garment_asset(p, path_, {storage});
    return read_garment_asset(path_);
  }
  static Packed sample(const SampleOptions& options = {}) {
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

// Root mean square over vertices, mm, of frames with the coefficients' own spread.
double difference(const Packed& a, const Packed& b) {
  const auto cloth = [&](const Packed& p) {
    return std::visit(
        [&](const auto& model) { return cloth_of(model, p.garment.size(), p.garment.bones.size()); },
        p.model);
  };
  return 1000 * std::sqrt(static_cast<double>((cloth(a) - cloth(b)).squaredNorm()) /
                          (kFrames * static_cast<double>(a.garment.size())));
}

// mm that roots of shares, taken and taken back, cost.
constexpr double kRootsTaken = 2e-3;

learn::Model& whole(Packed& p) { return std::get<learn::Model>(p.model); }
learn::PatchModel& patches(Packed& p) { return std::get<learn::PatchModel>(p.model); }

TEST_F(GarmentAsset, KeepsAllButTheShapeAsModelled) {
  Packed p = sample();
  p.settings.mass.point_count = 2;
  p.settings.mass.points[1] = 0.5f;
  p.settings.teleport_angle = 0.75f;
  p.extra["gru"] = std::string("\0some\xff", 6);
  const Packed q = there_and_back(p, Storage::kFloat32);
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

// The most that weights are off, bone by bone.
float blend_difference(const Packed& p, const Packed& q) {
  float most = p.blend.size() == q.blend.size() ? 0.0f : 1.0f;
  for (size_t v = 0; v < std::min(p.blend.size(), q.blend.size()); ++v)
    for (size_t k = 0; k < kBonesPerVertex; ++k)
      most = std::max(most, p.blend[v].bones[k] == q.blend[v].bones[k]
                                ? std::fabs(p.blend[v].weights[k] - q.blend[v].weights[k])
                                : 1.0f);
  return most;
}

TEST_F(GarmentAsset, BlendWeightsComeBackRoundedInBytesAndWords) {
  // 24 and 288 bones: a byte each, and two.
  for (const uint32_t chains : {4u, 48u}) {
    const Packed p = sample({.across = 60, .chains = chains});
    EXPECT_LT(blend_difference(p, there_and_back(p, Storage::kFloat32)), 1.0f / 255);
  }
  EXPECT_TRUE(there_and_back(sample({.blend = false}), Storage::kFloat32).blend.empty());
}

TEST_F(GarmentAsset, SectionsAreChangedAndAllOthersStay) {
  Packed p = sample();
  p.extra["gru"] = "units", p.extra["more"] = "else";
  const std::string file = pack_garment(p, {Storage::kInt8});
  p.settings.solver.substep_angle = 0.3f;
  for (learn::BlendWeights& w : p.blend) w = {{3, 0, 0, 0}, {0.25f, 0.75f, 0, 0}};
  const auto read = [&](const std::string& bytes) {
    std::ofstream(path_, std::ios::binary) << bytes;
    return read_garment_asset(path_);
  };
  const std::string changed = changed_sections(file, {"extra.gru"}, p.settings, p.blend);
  const Packed before = read(file), after = read(changed);
  EXPECT_EQ(difference(before, after), 0);
  EXPECT_EQ(after.garment.name, before.garment.name);
  EXPECT_EQ(after.extra.count("gru"), 0u);
  EXPECT_EQ(after.extra.at("more"), "else");
  EXPECT_EQ(after.settings.solver.substep_angle, 0.3f);
  EXPECT_EQ(after.settings.friction, before.settings.friction);
  EXPECT_LT(blend_difference(p, after), 1.0f / 255);
  EXPECT_TRUE(read(changed_sections(changed, {}, p.settings, {})).blend.empty());
  p.blend.pop_back();
  EXPECT_THROW(changed_sections(file, {}, p.settings, p.blend), std::invalid_argument);
  EXPECT_THROW(changed_sections("no garment", {}, p.settings, {}), std::runtime_error);
}

TEST_F(GarmentAsset, FloatsComeBackToTheBit) {
  Packed p = sample({.patches = false}), q = there_and_back(p, Storage::kFloat32);
  const learn::Model &a = whole(p), &b = whole(q);
  EXPECT_EQ(b.skinning.basis.modes, a.skinning.basis.modes);
  EXPECT_EQ(b.shape.basis.mean, a.shape.basis.mean);
  EXPECT_EQ(b.shape.basis.deviation, a.shape.basis.deviation);
  EXPECT_EQ(b.shape.network.linear, a.shape.network.linear);
  EXPECT_EQ(b.skinning.network.layers[1].weights, a.skinning.network.layers[1].weights);
  EXPECT_EQ(b.skinning.network.scale, a.skinning.network.scale);
  EXPECT_EQ(difference(p, q), 0);
}

TEST_F(GarmentAsset, PatchesComeBack) {
  Packed p = sample({.closed = true});
  patches(p).patches[4].network = 3, patches(p).patches[4].flipped = true;
  learn::Network& linear = patches(p).networks[3];
  linear.bias = learn::Vector::Constant(linear.linear.rows(), 0.02f);
  Packed q = there_and_back(p, Storage::kFloat32);
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
  EXPECT_LT(difference(p, q), kRootsTaken);
}

TEST_F(GarmentAsset, PatchesMayHaveOneHalfOnly) {
  Packed p = sample({.hidden = 0, .linear = false});
  Packed q = there_and_back(p, Storage::kFloat32);
  EXPECT_EQ(patches(q).networks[1].linear.size(), 0);
  EXPECT_LT(difference(p, q), kRootsTaken);
  p = sample();
  for (learn::Network& n : patches(p).networks) n.layers.clear();
  q = there_and_back(p, Storage::kFloat32);
  EXPECT_TRUE(patches(q).networks[1].layers.empty());
  EXPECT_LT(difference(p, q), kRootsTaken);
}

TEST_F(GarmentAsset, TheBiasOfTheLinearPathIsKept) {
  Packed p = sample({.patches = false});
  auto& network = whole(p).skinning.network;
  network.bias = learn::Vector::Constant(whole(p).skinning.basis.components(), 0.01f);
  EXPECT_NEAR(difference(p, there_and_back(p, Storage::kFloat32)), 0, 1e-3);  // mm; without it 0.1 and more
}

SampleOptions medium(bool patches) {
  return {.across = 30,
          .down = 40,
          .patches = patches,
          .components = 16,
          .skinning_components = 20,
          .shape_components = 20};
}

TEST_F(GarmentAsset, EachStorageCostsWhatItSays) {
  for (const bool by_patches : {false, true}) {
    const Packed p = sample(medium(by_patches));
    double last = 1e9;
    for (const Storage s : {Storage::kInt8, Storage::kFloat16, Storage::kInt16}) {
      const Packed q = there_and_back(p, s);
      const double measured = difference(p, q);
      EXPECT_GT(measured, 0.4 * report_.chosen.all()) << report_.chosen.name;
      EXPECT_LT(measured, 1.7 * report_.chosen.all()) << report_.chosen.name;
      EXPECT_LT(measured, last);
      last = measured;
    }
  }
}

TEST_F(GarmentAsset, MixedStaysUnderItsErrorAndIsSmallerThanAnyOneKindThatDoes) {
  for (const bool by_patches : {false, true}) {
    const Packed p = sample(medium(by_patches));
    const Packed q = there_and_back(p, Storage::kMixed);
    EXPECT_LE(report_.chosen.all(), 0.1);
    EXPECT_LT(difference(p, q), 0.15);
    for (const StorageCost& other : report_.others) {
      if (other.all() <= 0.1) {
        EXPECT_LT(report_.chosen.bytes, other.bytes) << other.name;
      }
    }
  }
}

// Bones that move together, as they do on a body: what is rounded off one of them, another can make up for.
learn::PatchInputs moving_together(const Packed& p) {
  constexpr Eigen::Index kRows = 400, kMotions = 12;
  srand(3);
  const auto values = static_cast<Eigen::Index>(3 * p.garment.bones.size());
  learn::PatchInputs inputs;
  inputs.bones = 0.02f * learn::Matrix::Random(kRows, kMotions) * learn::Matrix::Random(kMotions, values);
  inputs.up = learn::Matrix::Zero(kRows, 3);
  inputs.up.col(1).setOnes();
  return inputs;
}

TEST_F(GarmentAsset, FramesMakeNetworksSmaller) {
  Packed p = sample(medium(true));
  const learn::PatchInputs frames = moving_together(p);
  there_and_back(p, Storage::kMixed);
  const size_t without = report_.chosen.bytes;
  p.frames = frames;
  const Packed q = there_and_back(p, Storage::kMixed);
  EXPECT_LT(report_.chosen.bytes, 0.95 * static_cast<double>(without));
  EXPECT_LE(report_.chosen.all(), 0.1);
  // In frames like these, the whole cloth is off by no more than it says.
  const auto rows = frames.bones.rows();
  const auto values = static_cast<Eigen::Index>(3 * p.garment.size());
  learn::Matrix right(rows, values), found(rows, values);
  std::get<learn::PatchModel>(p.model)(frames, true, right);
  std::get<learn::PatchModel>(q.model)(frames, true, found);
  const double off =
      1e3 * static_cast<double>((found - right).norm()) / std::sqrt(static_cast<double>(rows * values / 3));
  EXPECT_LT(off, 1.2 * report_.chosen.all());
  EXPECT_GT(off, 0);
}

TEST_F(GarmentAsset, ShapeAndLinearPathMayBeMissing) {
  Packed p = sample({.patches = false, .shape_components = 0, .linear = false});
  Packed q = there_and_back(p, Storage::kFloat32);
  EXPECT_EQ(whole(q).shape.basis.components(), 0);
  EXPECT_EQ(whole(q).skinning.network.linear.size(), 0);
  EXPECT_EQ(difference(p, q), 0);
}

TEST_F(GarmentAsset, RefusesWhatCannotBeStored) {
  const auto refused = [](const Packed& p) {
    try {
      pack_garment(p);
    } catch (const std::invalid_argument& e) {
      return std::string(e.what());
    }
    return std::string("nothing");
  };
  Packed p = sample();
  p.colliders[1].shape = BILLOW_SHAPE_CUSTOM;
  EXPECT_NE(refused(p).find("collider 1: expected an analytic shape"), std::string::npos) << refused(p);
  p = sample();
  p.garment.rest.clear();
  EXPECT_NE(refused(p).find("draped"), std::string::npos);
  p = sample({.patches = false});
  whole(p).shape.basis.deviation.resize(1);
  EXPECT_NE(refused(p).find("shape, deviations: expected 4, found 1"), std::string::npos) << refused(p);
  p = sample({.patches = false});
  whole(p).skinning.network.layers[1].weights.resize(3, 3);
  EXPECT_NE(refused(p).find("inputs of a layer"), std::string::npos);
  p = sample();
  patches(p).bases[2].deviation.resize(1);
  EXPECT_NE(refused(p).find("patch 2, deviations: expected 18, found 1"), std::string::npos) << refused(p);
  p = sample();
  patches(p).patches[4].input_bones.pop_back();
  EXPECT_NE(refused(p).find("patch 4, bones seen: expected 36, found 35"), std::string::npos) << refused(p);
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
  EXPECT_THROW(storage_named("int7"), std::invalid_argument);
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
