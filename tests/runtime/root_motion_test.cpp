// Moving spaces: how much of a platform's motion the chains on it feel.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "support/colliders.h"
#include "support/hanging.h"

namespace billow {
namespace {

using testing::kFrame;
using testing::Vector;

// A platform that sets off at 6 m/s2 and turns about its own, moving axis; the chain hangs 0.5 m off that
// axis.
struct Platform {
  Vector position;
  double angle = 0;

  static Platform at(double time, double acceleration, double turning) {
    return {{{0.5 * acceleration * time * time, 0, 0}}, 0.5 * turning * time * time};
  }
  Transform space() const { return testing::at(position, testing::about_y(angle)); }
  Transform root() const {
    return testing::at(position + testing::rotate(testing::about_y(angle), {{0.5, 0, 0}}),
                       testing::about_y(angle));
  }
  // World positions as seen on the platform, from the root.
  std::vector<float> seen(const std::vector<float>& world) const {
    std::vector<float> out(world.size());
    const std::array<double, 4> back = testing::about_y(-angle);
    for (size_t i = 0; i < world.size() / 3; ++i)
      testing::copy(
          testing::rotate(back, testing::vector_at(world.data(), i) - position) - Vector{{0.5, 0, 0}},
          out.data() + 3 * i);
    return out;
  }
};

// The farthest any bone gets from hanging straight down, seen on the platform, within a second.
double farthest_swing(float translation_inertia, float rotation_inertia, double acceleration,
                      double turning) {
  Settings settings = billow_settings_default();
  settings.translation_inertia = translation_inertia;
  settings.rotation_inertia = rotation_inertia;
  Chains chains = testing::hanging_chain(8, 0.1f, settings);
  double most = 0;
  std::vector<float> still;
  for (int frame = 0; frame <= 60; ++frame) {
    const Platform p = Platform::at(frame / 60.0, acceleration, turning);
    const Transform root = p.root(), space = p.space();
    EXPECT_TRUE(chains.step(kFrame, {&root, 1}, nullptr, &space));
    const std::vector<float> seen = p.seen(testing::positions_of(chains));
    if (frame == 0) still = seen;
    most = std::max(most, testing::farthest_apart(seen, still));
  }
  return most;
}

// After a second at 6 m/s2 the platform is 3 m away at 6 m/s; singles resolve that to some 1e-7 m, sixty
// times.
constexpr double kUndisturbed = 2e-4;

TEST(RootMotion, ThatIsNotFeltLeavesTheChainUndisturbed) {
  EXPECT_LT(farthest_swing(0, 0, 6, 0), kUndisturbed);
  EXPECT_LT(farthest_swing(0, 0, 0, 4), kUndisturbed);
  EXPECT_LT(farthest_swing(0, 0, 6, 4), kUndisturbed);
}

TEST(RootMotion, ThatIsFeltSwingsTheChain) {
  // At 6 m/s2 a chain hangs back at atan(6 / 9.81) = 31 degrees: 0.42 m at the tip of 0.8 m, and overshoots.
  EXPECT_GT(farthest_swing(1, 1, 6, 0), 0.4);
  EXPECT_GT(farthest_swing(1, 1, 0, 4), 0.1);
}

TEST(RootMotion, FeltByHalfIsInBetween) {
  const double none = farthest_swing(0, 0, 6, 0), half = farthest_swing(0.5f, 0, 6, 0),
               all = farthest_swing(1, 0, 6, 0);
  EXPECT_GT(half, none + 0.2 * all);
  EXPECT_LT(half, 0.8 * all);
  const double turned_none = farthest_swing(0, 0, 0, 4), turned_half = farthest_swing(0, 0.5f, 0, 4),
               turned_all = farthest_swing(0, 1, 0, 4);
  EXPECT_GT(turned_half, turned_none + 0.05 * turned_all);
  EXPECT_LT(turned_half, 0.8 * turned_all);
}

TEST(RootMotion, TranslationAndRotationAreFeltSeparately) {
  // All of the turning, nothing of the way; and the reverse.
  EXPECT_LT(farthest_swing(0, 1, 6, 0), kUndisturbed);
  EXPECT_LT(farthest_swing(1, 0, 0, 4), kUndisturbed);
  EXPECT_GT(farthest_swing(1, 0, 6, 4), 0.4);
}

TEST(RootMotion, OfTheRootsOnThePlatformIsAlwaysFelt) {
  Settings settings = billow_settings_default();
  settings.translation_inertia = settings.rotation_inertia = 0;
  Chains riding = testing::hanging_chain(8, 0.1f, settings),
         standing = testing::hanging_chain(8, 0.1f, settings);
  // Shaken alike, one on a lift that speeds up and one on the ground.
  double most = 0, swing = 0;
  for (int frame = 0; frame < 60; ++frame) {
    const double t = frame / 60.0, x = 0.1 * std::sin(8 * t);
    const Transform lift = testing::at({{0, 2 * t * t, 0}}), ground = testing::at({});
    const Transform on_lift = testing::at({{x, 2 * t * t, 0}}), on_ground = testing::at({{x, 0, 0}});
    ASSERT_TRUE(riding.step(kFrame, {&on_lift, 1}, nullptr, &lift));
    ASSERT_TRUE(standing.step(kFrame, {&on_ground, 1}, nullptr, &ground));
    const Vector seen = testing::tip_of(riding) - Vector{{0, 2 * t * t, 0}};
    most = std::max(most, length(seen - testing::tip_of(standing)));
    swing = std::max(swing, std::fabs(seen[0] - x));
  }
  EXPECT_LT(most, 1e-3);
  EXPECT_GT(swing, 0.05) << "it is meant to swing";
}

TEST(RootMotion, AtConstantSpeedIsLikeStandingStill) {
  // Spawned straight out to the side, one on a still root, one on a root at 4 m/s: both swing down alike.
  std::vector<float> rest;
  for (int i = 0; i < 6; ++i)
    rest.insert(rest.end(), {0.0f, -0.07f * static_cast<float>(i), 0.07f * static_cast<float>(i)});
  const auto make = [&] { return scenes::make_chains({6}, rest, false, false, billow_settings_default()); };
  Chains still = make(), running = make();
  for (int frame = 0; frame < 60; ++frame) {
    const double x = 4.0 * frame / 60;
    const Transform here = testing::at({}), there = testing::at({{x, 0, 0}});
    ASSERT_TRUE(still.step(kFrame, {&here, 1}));
    ASSERT_TRUE(running.step(kFrame, {&there, 1}));
    // In the first frame nobody can know yet that the root is running.
    ASSERT_NEAR(length(testing::tip_of(running) - Vector{{x, 0, 0}} - testing::tip_of(still)), 0, 2e-3)
        << "frame " << frame;
  }
}

TEST(RootMotion, WithoutASpaceIsAllFelt) {
  Settings settings = billow_settings_default();
  settings.translation_inertia = settings.rotation_inertia = 0;
  Chains without = testing::hanging_chain(8, 0.1f, settings), full = testing::hanging_chain(8, 0.1f);
  for (int frame = 0; frame < 30; ++frame) {
    const Transform root = Platform::at(frame / 60.0, 6, 0).root();
    ASSERT_TRUE(without.step(kFrame, {&root, 1}));
    ASSERT_TRUE(full.step(kFrame, {&root, 1}));
  }
  EXPECT_EQ(testing::positions_of(without), testing::positions_of(full));
}

TEST(RootMotion, OfASpaceThatAppearsOnlyNowIsNotFelt) {
  // A character steps into a lift that is elsewhere: its place so far is not a motion.
  Settings settings = billow_settings_default();
  settings.translation_inertia = 0;
  Chains chains = testing::hanging_chain(8, 0.1f, settings);
  const Transform root = translation(0, 0, 0), lift = translation(100, 0, 0);
  for (int frame = 0; frame < 10; ++frame) ASSERT_TRUE(chains.step(kFrame, {&root, 1}));
  for (int frame = 0; frame < 10; ++frame) ASSERT_TRUE(chains.step(kFrame, {&root, 1}, nullptr, &lift));
  EXPECT_NEAR(length(testing::tip_of(chains) - Vector{{0, -0.8, 0}}), 0, 1e-3);
}

TEST(RootMotion, CarriesCollidersOfThePlatformAlong) {
  // A sphere rides ahead of the chain on a fast train. Nothing of that is felt, so it must not pass through
  // the chain.
  Settings settings = billow_settings_default();
  settings.translation_inertia = settings.rotation_inertia = 0;
  Chains chains = testing::hanging_chain(8, 0.1f, settings);
  const Collider sphere = testing::sphere({{0.15, -0.5, 0}}, 0.1);
  Body body = Body::create(std::span(&sphere, 1)).value();
  for (int frame = 0; frame < 60; ++frame) {
    const Transform platform = testing::at({{30.0 * frame / 60, 0, 0}});
    ASSERT_TRUE(body.pose({&platform, 1}));
    ASSERT_TRUE(chains.step(kFrame, {&platform, 1}, &body, &platform));
    ASSERT_EQ(chains.report().contacts, 0u) << "frame " << frame;
  }
}

TEST(RootMotion, OverNoTimeCarriesChainsRigidly) {
  for (float inertia : {0.0f, 0.5f, 1.0f}) {
    Settings settings = billow_settings_default();
    settings.translation_inertia = settings.rotation_inertia = inertia;
    Chains chains = testing::hanging_chain(8, 0.1f, settings);
    const Transform here = translation(0, 0, 0), there = translation(0.5f, 0, 0);
    ASSERT_TRUE(chains.step(kFrame, {&here, 1}, nullptr, &here));
    std::vector<float> expected = testing::positions_of(chains);
    ASSERT_TRUE(chains.step(0, {&here, 1}, nullptr, &here));
    EXPECT_EQ(testing::positions_of(chains), expected) << "inertia " << inertia;
    ASSERT_TRUE(chains.step(0, {&there, 1}, nullptr, &there));
    for (size_t x = 0; x < expected.size(); x += 3) expected[x] += 0.5f;
    EXPECT_EQ(testing::positions_of(chains), expected) << "inertia " << inertia;
  }
}

}  // namespace
}  // namespace billow
