// Teleports, asked for and noticed: reset and keep, velocities, colliders, the report's flag.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "support/colliders.h"
#include "support/hanging.h"

namespace billow::teleport_test {
namespace {

using testing::kFrame;
using testing::Vector;

constexpr int kRopes = 6;
constexpr double kQuarterTurn = 1.5707963267948966;

// A chain in mid-swing: it was pulled aside for a third of a second.
Chains swinging_chain(const Settings& settings = billow_settings_default()) {
  Chains chains = testing::hanging_chain(kRopes, 0.1f, settings);
  for (int frame = 0; frame < 20; ++frame) {
    const Transform root = translation(0.02f * static_cast<float>(frame), 0, 0);
    EXPECT_TRUE(chains.step(kFrame, {&root, 1}));
  }
  return chains;
}
const Transform kLastRoot = translation(0.02f * 19, 0, 0);
const std::array<double, 4> kTurn = testing::about_y(kQuarterTurn);
const Vector kPlace{{50, 3, -7}};
const Transform kFarRoot = testing::at(kPlace, kTurn);

// Vectors seen from a root, turned as by `turn`.
std::vector<float> relative(const std::vector<float>& values, const Vector& root,
                            const std::array<double, 4>& turn) {
  std::vector<float> out(values.size());
  for (size_t i = 0; i < values.size() / 3; ++i)
    testing::copy(testing::rotate(turn, testing::vector_at(values.data(), i) - root), out.data() + 3 * i);
  return out;
}
const std::array<double, 4> kNoTurn{0, 0, 0, 1};
const Vector kOldPlace{{static_cast<double>(0.02f * 19), 0, 0}};

// Positions of 50 m are rounded to 4e-6 m.
constexpr double kRounding = 2e-5;

void expect_at_rest(const Chains& chains, const Vector& root, double tolerance) {
  const std::vector<float> x = testing::positions_of(chains), v = testing::velocities_of(chains);
  for (size_t i = 0; i <= kRopes; ++i) {
    EXPECT_NEAR(
        length(testing::vector_at(x.data(), i) - root - Vector{{0, -0.1 * static_cast<double>(i), 0}}), 0,
        tolerance);
    EXPECT_NEAR(length(testing::vector_at(v.data(), i)), 0, 100 * tolerance);
  }
}

TEST(TeleportCall, ResetBringsBackTheRestShapeAtRest) {
  Chains chains = swinging_chain();
  ASSERT_TRUE(chains.teleport(BILLOW_TELEPORT_RESET, {&kFarRoot, 1}));
  expect_at_rest(chains, kPlace, kRounding);
}

TEST(TeleportCall, KeepCarriesShapeAndTurnsVelocities) {
  Chains chains = swinging_chain();
  const std::vector<float> x = testing::positions_of(chains), v = testing::velocities_of(chains);
  ASSERT_TRUE(chains.teleport(BILLOW_TELEPORT_KEEP, {&kFarRoot, 1}));
  const std::vector<float> shape = relative(testing::positions_of(chains), kPlace, kNoTurn);
  EXPECT_LT(testing::farthest_apart(shape, relative(x, kOldPlace, kTurn)), kRounding);
  EXPECT_LT(testing::farthest_apart(testing::velocities_of(chains), relative(v, {}, kTurn)), 1e-5);
  // The chain was moving, along another axis than now.
  EXPECT_GT(std::fabs(v[3 * kRopes]), 0.1);
  EXPECT_GT(std::fabs(testing::velocities_of(chains)[3 * kRopes + 2]), 0.1);
}

TEST(TeleportCall, IsNoMotion) {
  // After either mode a step on the new root goes on as the same chain would have elsewhere.
  for (billow_teleport mode : {BILLOW_TELEPORT_RESET, BILLOW_TELEPORT_KEEP}) {
    Chains far = testing::hanging_chain(kRopes, 0.1f), near = testing::hanging_chain(kRopes, 0.1f);
    const Transform here = translation(0, 0, 0), there = translation(64, 0, 0);
    for (int frame = 0; frame < 5; ++frame)
      for (Chains* c : {&far, &near}) ASSERT_TRUE(c->step(kFrame, {&here, 1}));
    ASSERT_TRUE(far.teleport(mode, {&there, 1}));
    for (int frame = 0; frame < 30; ++frame) {
      ASSERT_TRUE(far.step(kFrame, {&there, 1}));
      ASSERT_TRUE(near.step(kFrame, {&here, 1}));
    }
    EXPECT_NEAR(length(testing::tip_of(far) - Vector{{64, 0, 0}} - testing::tip_of(near)), 0, 1e-3);
  }
}

TEST(TeleportCall, BeforeTheFirstStepPlacesTheChain) {
  Chains chains = testing::hanging_chain(kRopes, 0.1f);
  ASSERT_TRUE(chains.teleport(BILLOW_TELEPORT_KEEP, {&kFarRoot, 1}));
  expect_at_rest(chains, kPlace, kRounding);
}

TEST(TeleportThreshold, OfDistanceIsPassedOnlyByMoreThanIt) {
  Settings settings = billow_settings_default();
  settings.teleport_distance = 1;
  for (const auto& [distance, jumps] :
       {std::pair{0.9f, false}, std::pair{1.1f, true}, std::pair{1000.0f, true}}) {
    Chains chains = swinging_chain(settings);
    const Transform root = translation(0.02f * 19 + distance, 0, 0);
    ASSERT_TRUE(chains.step(kFrame, {&root, 1}));
    EXPECT_EQ((chains.report().flags & BILLOW_FLAG_TELEPORTED) != 0, jumps) << distance << " m";
    // The flag is of the last step only.
    ASSERT_TRUE(chains.step(kFrame, {&root, 1}));
    EXPECT_EQ(chains.report().flags & BILLOW_FLAG_TELEPORTED, 0u);
  }
}

TEST(TeleportThreshold, OfAngleIsPassedOnlyByMoreThanIt) {
  Settings settings = billow_settings_default();
  for (double limit : {0.5, 1.0, 3.0}) {
    settings.teleport_angle = static_cast<float>(limit);
    for (double angle : {0.9 * limit, -0.9 * limit, 1.04 * limit, -1.04 * limit}) {
      Chains chains = swinging_chain(settings);
      const Transform root = testing::at(kOldPlace, testing::about_y(angle));
      ASSERT_TRUE(chains.step(kFrame, {&root, 1}));
      EXPECT_EQ((chains.report().flags & BILLOW_FLAG_TELEPORTED) != 0, std::fabs(angle) > limit)
          << angle << " over a limit of " << limit;
    }
  }
}

TEST(TeleportThreshold, ResetStartsOverAtTheNewPlace) {
  Settings settings = billow_settings_default();
  settings.teleport = BILLOW_TELEPORT_RESET;
  settings.teleport_distance = 1;
  Chains chains = swinging_chain(settings);
  const Transform root = translation(50, 3, -7);
  ASSERT_TRUE(chains.step(kFrame, {&root, 1}));
  EXPECT_TRUE(chains.report().flags & BILLOW_FLAG_TELEPORTED);
  // Hanging straight down is its rest shape, so a frame of simulation changes nothing to speak of.
  expect_at_rest(chains, kPlace, 1e-3);
}

TEST(TeleportThreshold, KeepCarriesTheSwingAlong) {
  Settings settings = billow_settings_default();
  settings.teleport_distance = 1;
  // Both swing from a root that has stopped; one root then jumps.
  Chains chains = swinging_chain(settings), twin = swinging_chain(settings);
  for (int frame = 0; frame < 2; ++frame)
    for (Chains* c : {&chains, &twin}) ASSERT_TRUE(c->step(kFrame, {&kLastRoot, 1}));
  const Transform root = testing::at(kPlace, kTurn);
  for (int frame = 0; frame < 10; ++frame) {
    ASSERT_TRUE(chains.step(kFrame, {&root, 1}));
    ASSERT_TRUE(twin.step(kFrame, {&kLastRoot, 1}));
    const std::vector<float> shape = relative(testing::positions_of(chains), kPlace, kNoTurn);
    // Gravity is along the turn's axis, so the twin's motion is the same, turned. Roundings at 50 m grow in a
    // swing.
    EXPECT_LT(testing::farthest_apart(shape, relative(testing::positions_of(twin), kOldPlace, kTurn)), 2e-3)
        << frame;
  }
}

TEST(TeleportThreshold, KeepAtARunIsNotFelt) {
  // Through a portal at 4 m/s: a chain that hangs straight goes on hanging straight.
  Settings settings = billow_settings_default();
  settings.teleport_distance = 1;
  Chains chains = testing::hanging_chain(kRopes, 0.1f, settings);
  for (int frame = 0; frame < 60; ++frame) {
    const Vector place{{4.0 * frame / 60, 0, frame < 30 ? 0.0 : 20.0}};
    const Transform root = testing::at(place);
    ASSERT_TRUE(chains.step(kFrame, {&root, 1}));
    EXPECT_EQ((chains.report().flags & BILLOW_FLAG_TELEPORTED) != 0, frame == 30);
    ASSERT_NEAR(length(testing::tip_of(chains) - place - Vector{{0, -0.6, 0}}), 0, 0.01) << "frame " << frame;
  }
}

TEST(TeleportThreshold, NoneNeverTeleports) {
  Settings settings = billow_settings_default();
  settings.teleport = BILLOW_TELEPORT_NONE;
  settings.teleport_distance = 0.1f;
  settings.teleport_angle = 0.1f;
  Chains chains = swinging_chain(settings);
  const Vector before = testing::tip_of(chains);
  const Transform root = testing::at(kOldPlace + Vector{{0, 0, 0.12}}, kTurn);
  ASSERT_TRUE(chains.step(kFrame, {&root, 1}));
  EXPECT_EQ(chains.report().flags & BILLOW_FLAG_TELEPORTED, 0u);
  // The tip, 0.6 m away, has not yet heard of it.
  EXPECT_LT(std::fabs(testing::tip_of(chains)[2] - before[2]), 0.06);
}

// A sphere beside the chain jumps along with it, on a way that leads through the chain's new place.
TEST(Teleport, CollidersDoNotSweepThroughAfterAJump) {
  Settings settings = billow_settings_default();
  settings.teleport_distance = 1;
  const Collider sphere = testing::sphere({{-0.3, -0.3, 0}}, 0.2);
  for (bool by_call : {false, true}) {
    Chains chains = testing::hanging_chain(kRopes, 0.1f, settings);
    Body body = Body::create(std::span(&sphere, 1)).value();
    const Transform here = translation(0, 0, 0), there = translation(-5, 0, 0);
    for (int frame = 0; frame < 10; ++frame) {
      ASSERT_TRUE(body.pose({&here, 1}));
      ASSERT_TRUE(chains.step(kFrame, {&here, 1}, &body));
    }
    if (by_call) {
      ASSERT_TRUE(body.teleport({&there, 1}));
      ASSERT_TRUE(chains.teleport(BILLOW_TELEPORT_KEEP, {&there, 1}));
    } else {
      ASSERT_TRUE(body.pose({&there, 1}));
    }
    ASSERT_TRUE(chains.step(kFrame, {&there, 1}, &body));
    EXPECT_EQ(chains.report().contacts, 0u) << (by_call ? "by call" : "by threshold");
    EXPECT_NEAR(testing::tip_of(chains)[0], -5, 1e-3);
  }
}

TEST(Teleport, OneJumpingRootTakesAllChainsAlong) {
  Settings settings = billow_settings_default();
  settings.teleport_distance = 1;
  testing::Sheet sheet = testing::hanging_sheet(5, 4, 0.1f, 0.1f, settings);
  for (int frame = 0; frame < 5; ++frame) ASSERT_TRUE(sheet.chains.step(kFrame, sheet.roots));
  sheet.roots[3] = translation(9, 0, 0);
  ASSERT_TRUE(sheet.chains.step(kFrame, sheet.roots));
  EXPECT_TRUE(sheet.chains.report().flags & BILLOW_FLAG_TELEPORTED);
  EXPECT_TRUE(testing::all_finite(testing::positions_of(sheet.chains)));
}

}  // namespace
}  // namespace billow::teleport_test
