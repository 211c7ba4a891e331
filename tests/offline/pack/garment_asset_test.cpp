// Garment files there and back, and what their storage costs.
#include "pack/garment_asset.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>

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

// Root mean square over vertices, mm, of frames with the coefficients' own spread.
double difference(const Packed& a, const Packed& b) {
  constexpr Eigen::Index kFrames = 200;
  srand(3);
  learn::Matrix inputs = learn::Matrix::Random(kFrames, a.model.skinning.network.mean.size()) * 0.35f;
  const learn::Matrix d = a.model(inputs) - b.model(inputs);
  return 1000 *
         std::sqrt(static_cast<double>(d.squaredNorm()) / (kFrames * static_cast<double>(a.garment.size())));
}

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
  EXPECT_EQ(q.garment.flat, p.garment.flat);
  EXPECT_EQ(q.garment.chains, p.garment.chains);
  EXPECT_EQ(q.garment.ring, p.garment.ring);
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

TEST_F(GarmentAsset, FloatsComeBackToTheBit) {
  const Packed p = sample(), q = there_and_back(p, Storage::kFloat32);
  EXPECT_EQ(q.model.skinning.basis.modes, p.model.skinning.basis.modes);
  EXPECT_EQ(q.model.shape.basis.mean, p.model.shape.basis.mean);
  EXPECT_EQ(q.model.shape.basis.deviation, p.model.shape.basis.deviation);
  EXPECT_EQ(q.model.shape.network.linear, p.model.shape.network.linear);
  EXPECT_EQ(q.model.skinning.network.layers[1].weights, p.model.skinning.network.layers[1].weights);
  EXPECT_EQ(q.model.skinning.network.scale, p.model.skinning.network.scale);
  EXPECT_EQ(difference(p, q), 0);
}

TEST_F(GarmentAsset, TheBiasOfTheLinearPathIsKept) {
  Packed p = sample();
  auto& network = p.model.skinning.network;
  network.bias = learn::Vector::Constant(p.model.skinning.basis.components(), 0.01f);
  EXPECT_NEAR(difference(p, there_and_back(p, Storage::kFloat32)), 0, 1e-3);  // mm; without it 0.1 and more
}

TEST_F(GarmentAsset, EachStorageCostsWhatItSays) {
  const Packed p = sample({.across = 30, .down = 40, .skinning_components = 20, .shape_components = 20});
  double last = 1e9;
  for (const Storage s : {Storage::kInt8, Storage::kInt12, Storage::kFloat16, Storage::kInt16}) {
    const Packed q = there_and_back(p, s);
    const double measured = difference(p, q);
    EXPECT_GT(measured, 0.4 * report_.chosen.all()) << report_.chosen.name;
    EXPECT_LT(measured, 1.7 * report_.chosen.all()) << report_.chosen.name;
    EXPECT_LT(measured, last);
    last = measured;
  }
}

TEST_F(GarmentAsset, MixedStaysUnderItsErrorAndIsSmallerThanAnyOneKindThatDoes) {
  const Packed p = sample({.across = 30, .down = 40, .skinning_components = 20, .shape_components = 20});
  const Packed q = there_and_back(p, Storage::kMixed);
  EXPECT_LE(report_.chosen.all(), 0.1);
  EXPECT_LT(difference(p, q), 0.15);
  for (const StorageCost& other : report_.others) {
    if (other.all() <= 0.1) {
      EXPECT_LT(report_.chosen.bytes, other.bytes) << other.name;
    }
  }
}

TEST_F(GarmentAsset, ShapeAndLinearPathMayBeMissing) {
  const Packed p = sample({.shape_components = 0, .linear = false});
  const Packed q = there_and_back(p, Storage::kFloat32);
  EXPECT_EQ(q.model.shape.basis.components(), 0);
  EXPECT_EQ(q.model.skinning.network.linear.size(), 0);
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
  p.colliders[1].shape = BILLOW_CUSTOM;
  EXPECT_NE(refused(p).find("collider 1: expected an analytic shape"), std::string::npos) << refused(p);
  p = sample();
  p.garment.rest.clear();
  EXPECT_NE(refused(p).find("draped"), std::string::npos);
  p = sample();
  p.model.shape.basis.deviation.resize(1);
  EXPECT_NE(refused(p).find("shape, deviations: expected 4, found 1"), std::string::npos) << refused(p);
  p = sample();
  p.model.skinning.network.layers[1].weights.resize(3, 3);
  EXPECT_NE(refused(p).find("inputs of a layer"), std::string::npos);
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
