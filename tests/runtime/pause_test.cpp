// Paused chains follow their roots rigidly, and go on as they were.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "support/colliders.h"
#include "support/hanging.h"

namespace billow::pause_test::pause_test {
namespace {

using testing::kFrame;
using testing::Vector;

constexpr size_t kBones = 7;
const std::array<double, 4> kTilt = {0.1, 0.2, 0.3, std::sqrt(1 - 0.14)};
const Transform kRoot = testing::at({{0.3, 1.2, -0.4}}, kTilt);

// In mid-swing on a tilted root that stands off the origin.
Chains swinging_chain() {
  Chains chains = testing::hanging_chain(static_cast<int>(kBones) - 1, 0.1f);
  for (int frame = 0; frame < 15; ++frame) EXPECT_TRUE(chains.step(kFrame, {&kRoot, 1}));
  return chains;
}

TEST(Pause, StandsStillToTheBitOnStillRoots) {
  Chains chains = swinging_chain();
  ASSERT_TRUE(chains.set_paused(true));
  const std::vector<float> x = testing::positions_of(chains), v = testing::velocities_of(chains);
  // A pause menu left open for half a minute.
  for (int frame = 0; frame < 1800; ++frame) ASSERT_TRUE(chains.step(kFrame, {&kRoot, 1}));
  EXPECT_EQ(testing::positions_of(chains), x)
      << "drifted by " << testing::farthest_apart(testing::positions_of(chains), x);
  EXPECT_EQ(testing::velocities_of(chains), v);
}

TEST(Pause, FollowsItsRootRigidly) {
  Chains chains = swinging_chain();
  const std::vector<float> before = testing::positions_of(chains);
  ASSERT_TRUE(chains.set_paused(true));
  for (int frame = 1; frame <= 40; ++frame) {
    const std::array<double, 4> turn = testing::about_y(0.05 * frame);
    const Vector shift{{0.1 * frame, 0.02 * frame, 0}};
    // The old root, turned about the world's axis and shifted.
    const Vector place = testing::rotate(turn, {{0.3, 1.2, -0.4}}) + shift;
    const std::array<double, 4> rotation = {
        turn[3] * kTilt[0] + turn[1] * kTilt[2], turn[3] * kTilt[1] + turn[1] * kTilt[3],
        turn[3] * kTilt[2] - turn[1] * kTilt[0], turn[3] * kTilt[3] - turn[1] * kTilt[1]};
    const Transform root = testing::at(place, rotation);
    ASSERT_TRUE(chains.step(kFrame, {&root, 1}));
    const std::vector<float> now = testing::positions_of(chains);
    for (size_t i = 0; i < kBones; ++i) {
      const Vector wanted = testing::rotate(turn, testing::vector_at(before.data(), i)) + shift;
      ASSERT_NEAR(length(testing::vector_at(now.data(), i) - wanted), 0, 5e-6 * frame) << "frame " << frame;
    }
  }
}

TEST(Pause, GoesOnAsItWas) {
  // One is paused for a second on still roots; the other not at all.
  Chains paused = swinging_chain(), going = swinging_chain();
  ASSERT_TRUE(paused.set_paused(true));
  for (int frame = 0; frame < 60; ++frame) ASSERT_TRUE(paused.step(kFrame, {&kRoot, 1}));
  ASSERT_TRUE(paused.set_paused(false));
  for (int frame = 0; frame < 30; ++frame) {
    ASSERT_TRUE(paused.step(kFrame, {&kRoot, 1}));
    ASSERT_TRUE(going.step(kFrame, {&kRoot, 1}));
    ASSERT_LT(testing::farthest_apart(testing::positions_of(paused), testing::positions_of(going)), 1e-3)
        << frame;
  }
}

TEST(Pause, IsNotFeltWhereverTheRootWentMeanwhile) {
  // Carried far away while paused; then it swings on as its twin does at home.
  Chains away = swinging_chain(), home = swinging_chain();
  ASSERT_TRUE(away.set_paused(true));
  Transform root = kRoot;
  for (int frame = 0; frame < 60; ++frame) {
    root.position[0] += 0.1f;
    ASSERT_TRUE(away.step(kFrame, {&root, 1}));
    EXPECT_EQ(away.report().substeps, 0u);
  }
  ASSERT_TRUE(away.set_paused(false));
  for (int frame = 0; frame < 20; ++frame) {
    ASSERT_TRUE(away.step(kFrame, {&root, 1}));
    ASSERT_TRUE(home.step(kFrame, {&kRoot, 1}));
  }
  const double moved = static_cast<double>(root.position[0]) - static_cast<double>(kRoot.position[0]);
  EXPECT_NEAR(length(testing::tip_of(away) - Vector{{moved, 0, 0}} - testing::tip_of(home)), 0, 2e-3);
}

TEST(Pause, StopsTheClockOfTheWind) {
  double last_time = -1;
  Wind wind{};
  wind.user = &last_time;
  wind.field = [](void* user, double time, const float*, uint32_t count, float* velocities) {
    *static_cast<double*>(user) = time;
    for (uint32_t i = 0; i < 3 * count; ++i) velocities[i] = 0;
  };
  Settings settings = billow_settings_default();
  settings.drag.value = 0.01f;
  Chains chains = testing::hanging_chain(3, 0.1f, settings);
  ASSERT_TRUE(chains.set(wind));
  const Transform root = translation(0, 0, 0);
  for (int frame = 0; frame < 5; ++frame) ASSERT_TRUE(chains.step(kFrame, {&root, 1}));
  const double before = last_time;
  ASSERT_TRUE(chains.set_paused(true));
  for (int frame = 0; frame < 60; ++frame) ASSERT_TRUE(chains.step(kFrame, {&root, 1}));
  EXPECT_EQ(last_time, before) << "the wind was asked for during a pause";
  ASSERT_TRUE(chains.set_paused(false));
  ASSERT_TRUE(chains.step(kFrame, {&root, 1}));
  EXPECT_NEAR(last_time, before + 1.0 / 60, 1e-6);
}

}  // namespace
}  // namespace billow::pause_test::pause_test
