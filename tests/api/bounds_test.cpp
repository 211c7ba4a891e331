// Bounds: the box of the shown vertices, to the bit, and one that holds the mesh where it was skipped.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "support/tiny_garment.h"

namespace billow::bounds_test {
namespace {

using testing::kTinyJoints;
using testing::tiny_joints;

constexpr uint32_t kVertices = testing::kTinyAcross * testing::kTinyDown;

class BoundsApi : public ::testing::TestWithParam<testing::Form> {
 protected:
  BoundsApi() {
    EXPECT_EQ(billow_instance_create(garment_, nullptr, &instance_), BILLOW_OK) << billow_last_error();
  }
  ~BoundsApi() override {
    billow_instance_destroy(instance_);
    billow_garment_destroy(garment_);
  }
  void step(int k, bool skip = false) {
    const auto joints = tiny_joints(k);
    billow_frame f = billow_frame_default();
    f.dt = 1.0f / 64;
    f.joints = joints.data(), f.joint_count = kTinyJoints;
    f.skip_mesh = skip;
    ASSERT_EQ(billow_instance_step(instance_, &f), BILLOW_OK) << billow_last_error();
  }
  billow_bounds bounds() const {
    billow_bounds b{};
    EXPECT_EQ(billow_instance_get_bounds(instance_, &b), BILLOW_OK);
    return b;
  }
  std::vector<float> mesh() const {
    const float* p = billow_instance_position_data(instance_);
    return {p, p + 3 * kVertices};
  }
  static void expect_exact(const billow_bounds& b, const std::vector<float>& points) {
    for (size_t k = 0; k < 3; ++k) {
      float low = points[k], high = points[k];
      for (size_t i = k; i < points.size(); i += 3)
        low = std::min(low, points[i]), high = std::max(high, points[i]);
      ASSERT_EQ(b.low[k], low);
      ASSERT_EQ(b.high[k], high);
    }
  }

  billow_garment* garment_ = testing::make_tiny_garment(1, GetParam());
  billow_instance* instance_ = nullptr;
};

INSTANTIATE_TEST_SUITE_P(Forms, BoundsApi, ::testing::Values(testing::Form::kWhole, testing::Form::kPatches));

TEST_P(BoundsApi, AreThoseOfTheShownVertices) {
  expect_exact(bounds(), mesh());  // at rest, before any frame
  for (int k = 0; k < 100; ++k) {
    step(k);
    expect_exact(bounds(), mesh());
  }
}

TEST_P(BoundsApi, HoldTheBonesWhereTheMeshWasSkipped) {
  step(0);
  const std::vector<float> old = mesh();
  for (int k = 1; k < 40; ++k) step(k, true);
  EXPECT_EQ(mesh(), old) << "the mesh stays";
  std::vector<float> bones(3 * 13);
  ASSERT_EQ(billow_instance_get_bones(instance_, bones.data(), 13), BILLOW_OK);
  const billow_bounds b = bounds();
  // Vertices of this sheet are 1/16 m apart, its bones 4 columns and 3 rows: two columns and one row are farthest.
  const float reach = std::hypot(2.0f, 1.0f) / 16;
  for (size_t k = 0; k < 3; ++k) {
    float low = bones[k], high = bones[k];
    for (size_t i = k; i < bones.size(); i += 3)
      low = std::min(low, bones[i]), high = std::max(high, bones[i]);
    EXPECT_LE(b.low[k], low);
    EXPECT_GE(b.high[k], high);
    EXPECT_NEAR(b.high[k] - high, reach, 1e-5f);
    EXPECT_NEAR(low - b.low[k], reach, 1e-5f);
  }
  step(40);
  expect_exact(bounds(), mesh());
}

TEST_P(BoundsApi, RefuseWhatIsWrong) {
  billow_bounds b{{7, 7, 7}, {7, 7, 7}};
  uint64_t other[64] = {};
  for (billow_instance* i :
       {static_cast<billow_instance*>(nullptr), reinterpret_cast<billow_instance*>(other)}) {
    EXPECT_EQ(billow_instance_get_bounds(i, &b), BILLOW_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(b.low[0], 7);
  }
  EXPECT_EQ(billow_instance_get_bounds(instance_, nullptr), BILLOW_ERROR_INVALID_ARGUMENT);
  EXPECT_NE(std::string(billow_last_error()).find("out"), std::string::npos);
}

}  // namespace
}  // namespace billow::bounds_test
