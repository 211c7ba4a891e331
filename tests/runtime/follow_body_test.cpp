// Stage "follow" of a frame: a garment goes with its character, wherever that stands and whichever way it faces.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <vector>

#include "support/shipped_garment.h"

namespace billow {
namespace {

std::vector<Transform> joints_at_rest(const Garment& garment) {
  std::vector<Transform> joints(garment.joint_count());
  EXPECT_EQ(billow_garment_get_joint_rest(garment.get(), joints.data(), garment.joint_count()), BILLOW_OK);
  return joints;
}

using Point = std::array<double, 3>;

// A turn about the vertical axis, then a shift.
struct Motion {
  double angle;
  Point shift;

  Point apply(const float* p) const {
    const double c = std::cos(angle), s = std::sin(angle);
    return {c * p[0] + s * p[2] + shift[0], p[1] + shift[1], -s * p[0] + c * p[2] + shift[2]};
  }
  Transform apply(const Transform& t) const {
    const Point p = apply(t.position);
    const double c = std::cos(angle / 2), s = std::sin(angle / 2);
    const auto [x, y, z, w] = t.rotation;
    return {{static_cast<float>(p[0]), static_cast<float>(p[1]), static_cast<float>(p[2])},
            {static_cast<float>(c * x + s * z), static_cast<float>(c * y + s * w),
             static_cast<float>(c * z - s * x), static_cast<float>(c * w - s * y)}};
  }
};

class ShippedGarment : public ::testing::TestWithParam<const char*> {
 protected:
  const Garment garment_ = testing::load_shipped(GetParam());
  const std::vector<Transform> rest_ = joints_at_rest(garment_);
};
INSTANTIATE_TEST_SUITE_P(Shipped, ShippedGarment, ::testing::Values("cape", "skirt"));

// Single floats are 0.06 mm apart at 1 km, and a sub-step adds up some tens of such roundings.
TEST_P(ShippedGarment, LooksTheSameAnywhere) {
  Instance here = Instance::create(garment_).value();
  ASSERT_TRUE(here.step(1.0f / 60, rest_));
  for (const double distance : {1.0, 10.0, 100.0, 1000.0}) {
    for (const double angle : {0.0, 2.0}) {
      SCOPED_TRACE(distance);
      const Motion motion{angle, {0.6 * distance, 0.0, -0.8 * distance}};
      std::vector<Transform> joints;
      for (const Transform& j : rest_) joints.push_back(motion.apply(j));
      Instance there = Instance::create(garment_).value();
      ASSERT_TRUE(there.step(1.0f / 60, joints));
      double sum = 0;
      for (size_t i = 0; i < here.positions().size(); i += 3) {
        const Point expected = motion.apply(&here.positions()[i]);
        for (size_t k = 0; k < 3; ++k) sum += std::pow(there.positions()[i + k] - expected[k], 2);
      }
      const double rms = std::sqrt(sum / static_cast<double>(garment_.vertex_count()));
      EXPECT_LT(rms, 3e-5 + 2e-5 * distance) << "m, turned by " << angle;
    }
  }
}

// No time passes, so nothing swings; and the cloth is where the character is.
TEST_P(ShippedGarment, GoesAlongWhenNoTimePasses) {
  Instance instance = Instance::create(garment_).value();
  for (int k = 0; k < 5; ++k) ASSERT_TRUE(instance.step(1.0f / 60, rest_));
  const std::vector<float> before(instance.positions().begin(), instance.positions().end());
  const Motion motion{1.0, {20, 0, 0}};
  std::vector<Transform> joints;
  for (const Transform& j : rest_) joints.push_back(motion.apply(j));
  ASSERT_TRUE(instance.step(0, joints));
  double worst = 0;
  for (size_t i = 0; i < before.size(); i += 3) {
    const Point expected = motion.apply(&before[i]);
    for (size_t k = 0; k < 3; ++k)
      worst = std::max(worst, std::fabs(instance.positions()[i + k] - expected[k]));
  }
  EXPECT_LT(worst, 1e-3) << "m";
  // And it goes on from there without a jolt.
  const std::vector<float> carried(instance.positions().begin(), instance.positions().end());
  ASSERT_TRUE(instance.step(1.0f / 60, joints));
  worst = 0;
  for (size_t i = 0; i < carried.size(); ++i)
    worst = std::max(worst, std::fabs(static_cast<double>(instance.positions()[i]) - carried[i]));
  EXPECT_LT(worst, 0.05) << "m";
}

}  // namespace
}  // namespace billow
