// Push-out of a mesh: a limb that moves into a sheet carries it along, and does not go through.
#include "decode/push_out_mesh.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace billow::push_out_mesh_test {
namespace {

constexpr uint32_t kSide = 16, kVertices = kSide * kSide;
constexpr float kCell = 0.01f, kRadius = 0.05f;

// A level sheet, and a limb along x that rises into it from below in one frame.
class RisingLimb : public ::testing::Test {
 protected:
  RisingLimb() : clusters_(kVertices + kCluster), positions_(3 * kVertices + 1) {
    for (uint32_t v = 0; v < kVertices; ++v) {
      positions_[3 * v] = kCell * static_cast<float>(v % kSide);
      positions_[3 * v + 2] = kCell * static_cast<float>(v / kSide);
    }
    find_clusters(positions_.data(), kVertices, clusters_.data());
    capsule_.shape = Shape::kCapsule;
    capsule_.radius = kRadius, capsule_.length = 1;
  }

  // The limb's axis comes to stand at `height` above the sheet.
  std::vector<float> pushed(float height, bool with_last) {
    const Quat along_x{0, 0, -std::sqrt(0.5f), std::sqrt(0.5f)};
    const V3 end{-0.4f, 0, 0.075f};
    const PosedCollider limb =
        pose_collider(capsule_, 1, {end + V3{0, -0.06f, 0}, along_x}, {end + V3{0, height, 0}, along_x});
    std::vector<int16_t> places(3 * kVertices);
    for (size_t i = 0; i < places.size(); ++i)
      places[i] = static_cast<int16_t>(std::lround(positions_[i] / kPlaceUnit));
    std::vector<float> x = positions_, distances(kVertices), gradients(3 * kVertices), points(3 * kVertices);
    std::vector<uint32_t> vertices(kVertices);
    const PushOutScratch scratch{distances.data(), gradients.data(), points.data(), vertices.data()};
    push_out_mesh(&limb, 1, x.data(), clusters_.data(), kVertices, {}, scratch,
                  with_last ? LastPlaces{places.data(), 1, {}} : LastPlaces{});
    return x;
  }
  static int below(const std::vector<float>& x) {
    int count = 0;
    for (uint32_t v = 0; v < kVertices; ++v) count += x[3 * v + 1] < -0.01f;
    return count;
  }

  Collider capsule_;
  std::vector<uint32_t> clusters_;
  std::vector<float> positions_;
};

TEST_F(RisingLimb, NearestWayOutLeadsThroughTheLimb) { EXPECT_GT(below(pushed(0.02f, false)), 50); }

TEST_F(RisingLimb, CarriesTheSheetAlong) {
  for (const float height : {-0.02f, 0.0f, 0.02f, 0.04f}) {
    const std::vector<float> x = pushed(height, true);
    EXPECT_EQ(below(x), 0) << height;
    for (uint32_t v = 0; v < kVertices; ++v) {
      const float z = x[3 * v + 2] - 0.075f, y = x[3 * v + 1] - height;
      EXPECT_GT(std::hypot(y, z), kRadius) << height << " " << v;
      EXPECT_LT(x[3 * v + 1], height + kRadius + 0.01f) << height << " " << v;
    }
  }
}

// Vertices of the sheet at all depths in a soft limb: shallow ones leave it, deep ones stay.
TEST_F(RisingLimb, SoftLimbLetsThroughWhatIsDeep) {
  const Quat along_x{0, 0, -std::sqrt(0.5f), std::sqrt(0.5f)};
  const Transform at{{-0.4f, 0, 0.075f}, along_x};
  const PosedCollider limb = pose_collider(capsule_, 1, at, at);
  const auto pushed_by = [&](uint32_t soft_groups) {
    std::vector<float> x = positions_;
    push_out_of_soft(&limb, 1, x.data(), clusters_.data(), kVertices, {.soft_groups = soft_groups}, 1);
    return x;
  };
  EXPECT_EQ(pushed_by(0), positions_);
  const std::vector<float> x = pushed_by(kAllGroups);
  float before = 0;
  for (uint32_t row = kSide / 2; row < kSide; ++row) {  // outwards from the axis
    const float from = std::abs(positions_[3 * (kSide * row) + 2] - 0.075f),
                to = std::hypot(x[3 * (kSide * row) + 1], x[3 * (kSide * row) + 2] - 0.075f);
    if (from < kRadius - 0.03f) {
      EXPECT_EQ(to, from) << row;
    } else if (from > kRadius - 0.008f) {
      EXPECT_GT(to, kRadius) << row;
    }
    EXPECT_GE(to, before) << row;
    before = to - 1e-6f;
  }
}

}  // namespace
}  // namespace billow::push_out_mesh_test
