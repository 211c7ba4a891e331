// Settling: chains come to rest on standing roots and body before they are shown.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "support/colliders.h"
#include "support/hanging.h"

namespace billow::settle_test {
namespace {

using testing::kFrame;
using testing::Vector;

// Straight out to the side at rest: it has to fall.
Chains sideways_chain(int ropes, const Settings& settings = billow_settings_default()) {
  std::vector<float> rest;
  for (int i = 0; i <= ropes; ++i) rest.insert(rest.end(), {0.1f * static_cast<float>(i), 0.0f, 0.0f});
  return scenes::make_chains({static_cast<uint32_t>(ropes + 1)}, rest, false, false, settings);
}
const Transform kRoot = translation(1, 2, 3);

TEST(Settle, BringsAChainToHangAtRest) {
  Chains chains = sideways_chain(6);
  ASSERT_TRUE(chains.settle(20, {&kRoot, 1}));
  const std::vector<float> x = testing::positions_of(chains), v = testing::velocities_of(chains);
  for (size_t i = 0; i < 7; ++i) {
    // Slower than 1 mm/s under strong damping is within a few millimetres of the end.
    EXPECT_NEAR(length(testing::vector_at(x.data(), i) - Vector{{1, 2 - 0.1 * static_cast<double>(i), 3}}), 0,
                5e-3);
    EXPECT_EQ(length(testing::vector_at(v.data(), i)), 0);
  }
}

TEST(Settle, LeavesNothingToHappenAfterwards) {
  Chains chains = sideways_chain(6);
  ASSERT_TRUE(chains.settle(20, {&kRoot, 1}));
  const std::vector<float> settled = testing::positions_of(chains);
  for (int frame = 0; frame < 60; ++frame) ASSERT_TRUE(chains.step(kFrame, {&kRoot, 1}));
  EXPECT_LT(testing::farthest_apart(testing::positions_of(chains), settled), 0.01);
}

TEST(Settle, StopsWhenTimeIsUp) {
  Chains chains = sideways_chain(6);
  ASSERT_TRUE(chains.settle(0.2f, {&kRoot, 1}));
  const double y = testing::tip_of(chains)[1];
  EXPECT_LT(y, 2 - 0.02) << "it has begun to fall";
  EXPECT_GT(y, 2 - 0.5) << "but has not got far";
  EXPECT_EQ(testing::velocities_of(chains), std::vector<float>(21, 0.0f));
}

TEST(Settle, ForNoTimeOnlyPlaces) {
  Chains chains = sideways_chain(6);
  ASSERT_TRUE(chains.settle(0, {&kRoot, 1}));
  EXPECT_NEAR(length(testing::tip_of(chains) - Vector{{1.6, 2, 3}}), 0, 1e-6);
}

TEST(Settle, LiesOnTheBody) {
  const Collider sphere = testing::sphere({{0.3, -0.4, 0}}, 0.3);
  Body body = Body::create(std::span(&sphere, 1)).value();
  const Transform origin = translation(0, 0, 0);
  ASSERT_TRUE(body.pose({&origin, 1}));
  Chains chains = sideways_chain(8);
  ASSERT_TRUE(chains.settle(20, {&origin, 1}, &body));
  const std::vector<float> x = testing::positions_of(chains);
  double nearest = 1;
  for (size_t i = 1; i < 9; ++i)
    nearest = std::min(nearest, length(testing::vector_at(x.data(), i) - Vector{{0.3, -0.4, 0}}) - 0.3);
  // Kept off by the bone's radius of 5 mm, and lying against it.
  EXPECT_GT(nearest, 0.005 - 2e-4);
  EXPECT_LT(nearest, 0.006);
}

TEST(Settle, SeesAMovingBodyAsStanding) {
  // A pose with 10 m of motion in it would sweep the chain away.
  const Collider sphere = testing::sphere({{0.8, -0.4, 0}}, 0.2);
  Body body = Body::create(std::span(&sphere, 1)).value();
  const Transform far = translation(-10, 0, 0), here = translation(0, 0, 0);
  ASSERT_TRUE(body.pose({&far, 1}));
  ASSERT_TRUE(body.pose({&here, 1}));
  Chains chains = testing::hanging_chain(6, 0.1f);
  ASSERT_TRUE(chains.settle(2, {&here, 1}, &body));
  EXPECT_NEAR(length(testing::tip_of(chains) - Vector{{0, -0.6, 0}}), 0, 1e-3);
}

TEST(Settle, LeavesTheSettingsAsTheyWere) {
  Settings settings = billow_settings_default();
  settings.global_damping = 0.25f;
  Chains chains = sideways_chain(6, settings);
  ASSERT_TRUE(chains.settle(0.3f, {&kRoot, 1}));
  EXPECT_EQ(chains.settings().global_damping, 0.25f);
  // The strong damping is gone as well: a chain without any swings through to the other side.
  Chains undamped = sideways_chain(6);
  ASSERT_TRUE(undamped.settle(0, {&kRoot, 1}));
  double farthest = 9;
  for (int frame = 0; frame < 90; ++frame) {
    ASSERT_TRUE(undamped.step(kFrame, {&kRoot, 1}));
    farthest = std::min(farthest, testing::tip_of(undamped)[0]);
  }
  EXPECT_LT(farthest, 1 - 0.3);
}

TEST(Settle, ThenMovesAlongWithARunningCharacter) {
  // Spawned in mid-run: the first frame of motion must not whip what has settled.
  Chains chains = testing::hanging_chain(6, 0.1f);
  Transform root = translation(0, 0, 0);
  ASSERT_TRUE(chains.settle(2, {&root, 1}));
  for (int frame = 0; frame < 30; ++frame) {
    root.position[0] += 4.0f * kFrame;
    ASSERT_TRUE(chains.step(kFrame, {&root, 1}));
    EXPECT_NEAR(testing::tip_of(chains)[0], root.position[0], 0.02) << "frame " << frame;
  }
}

}  // namespace
}  // namespace billow::settle_test
