// Characters of another size: twice as large under twice the gravity moves as the original does, only larger.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "support/colliders.h"
#include "support/hanging.h"

namespace billow {
namespace {

using testing::kFrame;
using testing::Vector;

Settings at_scale(Settings s, float scale) {
  s.scale = scale;
  s.gravity[1] *= scale;
  return s;
}

// The root's path, for a character of size 1.
Vector shaken(int frame) {
  return {{0.15 * std::sin(0.2 * frame), 0.05 * std::sin(0.31 * frame), 0.1 * std::sin(0.13 * frame)}};
}

TEST(Scale, ATwiceAsLargeCharacterMovesAlike) {
  Chains one = testing::hanging_chain(8, 0.1f, at_scale(billow_settings_default(), 1));
  Chains two = testing::hanging_chain(8, 0.1f, at_scale(billow_settings_default(), 2));
  double swing = 0;
  for (int frame = 0; frame < 120; ++frame) {
    const Transform small = testing::at(shaken(frame)), large = testing::at(shaken(frame) * 2);
    ASSERT_TRUE(one.step(kFrame, {&small, 1}));
    ASSERT_TRUE(two.step(kFrame, {&large, 1}));
    std::vector<float> doubled = testing::positions_of(one);
    for (float& x : doubled) x *= 2;
    // Doubling is exact in binary, so both round alike: only absolute thresholds may differ.
    ASSERT_LT(testing::farthest_apart(testing::positions_of(two), doubled), 1e-5) << "frame " << frame;
    swing = std::max(swing, std::fabs(testing::tip_of(two)[0] - 2 * shaken(frame)[0]));
  }
  EXPECT_GT(swing, 0.2) << "it is meant to swing";
}

TEST(Scale, ReachesCollidersAndRadii) {
  // A sphere at the chain's side that swings into it; body and chains at the same scale.
  const Collider sphere = testing::sphere({{0.16, -0.5, 0}}, 0.12);
  Settings settings = billow_settings_default();
  settings.radius.value = 0.02f;
  uint32_t touched = 0;
  std::vector<Vector> tips;
  for (float scale : {1.0f, 2.0f}) {
    Chains chains = testing::hanging_chain(8, 0.1f, at_scale(settings, scale));
    Body body = Body::create(std::span(&sphere, 1)).value();
    for (int frame = 0; frame < 90; ++frame) {
      const Transform root = testing::at({});
      const Transform joint =
          testing::at(Vector{{-0.1 * std::sin(0.1 * frame), 0, 0}} * static_cast<double>(scale));
      ASSERT_TRUE(body.pose({&joint, 1}, scale));
      ASSERT_TRUE(chains.step(kFrame, {&root, 1}, &body));
      touched += chains.report().contacts;
      tips.push_back(testing::tip_of(chains) * (1 / static_cast<double>(scale)));
    }
  }
  EXPECT_GT(touched, 20u) << "it is meant to touch";
  // Contact tolerances are in metres, so the two part by about as much (0.1 mm) in each of some contacts.
  for (size_t frame = 0; frame < 90; ++frame)
    ASSERT_NEAR(length(tips[90 + frame] - tips[frame]), 0, 5e-3) << "frame " << frame;
}

TEST(Scale, ChangedWhileRunningResizesAboutTheRoots) {
  Settings settings = billow_settings_default();
  Chains chains = testing::hanging_chain(5, 0.1f, settings);
  const Transform root = translation(1, 2, 3);
  for (int frame = 0; frame < 10; ++frame) ASSERT_TRUE(chains.step(kFrame, {&root, 1}));
  const Vector before = testing::tip_of(chains) - Vector{{1, 2, 3}};
  for (float scale : {3.0f, 0.5f, 1.0f}) {
    settings.scale = scale;
    ASSERT_TRUE(chains.set(settings));
    const Vector now = testing::tip_of(chains) - Vector{{1, 2, 3}};
    EXPECT_NEAR(length(now - before * static_cast<double>(scale)), 0, 1e-5 * static_cast<double>(scale));
  }
  // And it hangs at that length from then on.
  settings.scale = 2;
  ASSERT_TRUE(chains.set(settings));
  for (int frame = 0; frame < 30; ++frame) ASSERT_TRUE(chains.step(kFrame, {&root, 1}));
  EXPECT_NEAR(testing::tip_of(chains)[1], 2 - 2 * 0.5, 1e-3);
}

TEST(Scale, SetBeforeTheFirstStepPlacesTheScaledRestShape) {
  Settings settings = billow_settings_default();
  settings.scale = 2;
  Chains chains = testing::hanging_chain(5, 0.1f, settings);
  const Transform root = translation(0, 0, 0);
  ASSERT_TRUE(chains.step(0, {&root, 1}));
  EXPECT_NEAR(testing::tip_of(chains)[1], -1, 1e-6);
}

TEST(Scale, StretchesLateralDistancesToo) {
  // A sheet of scale 2 on roots twice as far apart is as little stretched as the original: it hangs straight.
  Settings settings = billow_settings_default();
  settings.lateral_stretch.value = settings.lateral_compression.value = 5;
  settings.scale = 2;
  testing::Sheet sheet = testing::hanging_sheet(4, 5, 0.1f, 0.1f, settings);
  for (Transform& root : sheet.roots) root.position[0] *= 2;
  for (int frame = 0; frame < 60; ++frame) ASSERT_TRUE(sheet.chains.step(kFrame, sheet.roots));
  const std::vector<float> x = testing::positions_of(sheet.chains);
  for (size_t c = 0; c < 4; ++c)
    for (size_t i = 0; i < 6; ++i)
      EXPECT_NEAR(testing::vector_at(x.data(), 6 * c + i)[0], 0.2 * static_cast<double>(c), 1e-3);
}

}  // namespace
}  // namespace billow
