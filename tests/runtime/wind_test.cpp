// Wind as the API gives it: constant, gusty, by callback, and on panels.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "support/hanging.h"

namespace billow::wind_test {
namespace {

using testing::kFrame;
using testing::Vector;

Wind constant_wind(float x, float y, float z) { return {{x, y, z}, 0, 0, 0, nullptr, nullptr}; }

Settings with_drag(float drag) {
  Settings s = billow_settings_default();
  s.drag.value = drag;
  s.damping.value = 2;
  return s;
}

// The tip's path over `frames` frames.
std::vector<Vector> tip_path(Chains& chains, const std::vector<Transform>& roots, int frames) {
  std::vector<Vector> path;
  for (int i = 0; i < frames; ++i) {
    EXPECT_TRUE(chains.step(kFrame, roots));
    path.push_back(testing::tip_of(chains));
  }
  return path;
}
const std::vector<Transform> kRoot = {translation(0, 0, 0)};

TEST(Wind, BlowsAHangingChainToWhereDragAndWeightBalance) {
  // Each bone of 0.02 kg is pushed by 0.01 N s/m times 10 m/s, so the chain is straight at atan(0.1 / 0.196).
  Chains chains = testing::hanging_chain(5, 0.1f, with_drag(0.01f));
  ASSERT_TRUE(chains.set(constant_wind(10, 0, 0)));
  const Vector tip = tip_path(chains, kRoot, 900).back();
  EXPECT_NEAR(std::atan2(tip[0], -tip[1]), std::atan2(0.1, 0.02 * 9.81), 0.01);
}

TEST(Wind, WithoutDragOrPanelsDoesNothing) {
  Chains windy = testing::hanging_chain(5, 0.1f), calm = testing::hanging_chain(5, 0.1f);
  ASSERT_TRUE(windy.set(constant_wind(50, 0, 0)));
  tip_path(windy, kRoot, 10);
  tip_path(calm, kRoot, 10);
  EXPECT_EQ(windy.hash(), calm.hash());
}

TEST(Wind, CarriesAlongAtMostAtItsOwnSpeed) {
  // A bone on a rope too long to matter, without weight, in strong drag.
  const uint32_t bones = 2;
  const float rest[6] = {0, 0, 0, 0, -1, 0}, lengths[2] = {0, 1000};
  billow_chains_desc d{};
  d.chain_count = 1;
  d.bone_counts = &bones;
  d.rest_positions = rest;
  d.max_lengths = lengths;
  Chains chains = Chains::create(d).value();
  Settings settings = billow_settings_default();
  settings.drag.value = 1;
  settings.gravity[1] = 0;
  ASSERT_TRUE(chains.set(settings));
  ASSERT_TRUE(chains.set(constant_wind(8, 0, 0)));
  for (int frame = 0; frame < 120; ++frame) {
    ASSERT_TRUE(chains.step(kFrame, kRoot));
    ASSERT_LE(testing::velocities_of(chains)[3], 8.001f);
  }
  EXPECT_NEAR(testing::velocities_of(chains)[3], 8, 0.01);
}

TEST(Wind, GustsAreTheSameForTheSameSeedOnly) {
  const auto path_with = [](uint32_t seed, float gust) {
    Chains chains = testing::hanging_chain(5, 0.1f, with_drag(0.01f));
    const Wind wind{{6, 0, 0}, gust, 0.8f, seed, nullptr, nullptr};
    EXPECT_TRUE(chains.set(wind));
    return tip_path(chains, kRoot, 240);
  };
  const auto first = path_with(7, 0.8f), again = path_with(7, 0.8f), other = path_with(8, 0.8f),
             none = path_with(7, 0);
  double to_again = 0, to_other = 0, sideways = 0, sway = 0, sideways_without = 0;
  for (size_t i = 0; i < first.size(); ++i) {
    to_again = std::max(to_again, length(first[i] - again[i]));
    to_other = std::max(to_other, length(first[i] - other[i]));
    sideways = std::max(sideways, std::fabs(first[i][2]));
    sideways_without = std::max(sideways_without, std::fabs(none[i][2]));
    if (i > 120) sway = std::max(sway, std::fabs(first[i][0] - first[120][0]));
  }
  EXPECT_EQ(to_again, 0);
  EXPECT_GT(to_other, 0.01);
  // Gusts swell and turn; a constant wind does not turn.
  EXPECT_GT(sway, 0.02);
  EXPECT_GT(sideways, 0.01);
  EXPECT_LT(sideways_without, 1e-4);
}

struct Recorder {
  uint32_t calls = 0;
  std::vector<float> points;
  double first_time = -1, last_time = -1;
  static void field(void* user, double time, const float* points, uint32_t count, float* velocities) {
    auto* self = static_cast<Recorder*>(user);
    if (self->calls++ == 0) self->first_time = time;
    self->last_time = time;
    self->points.insert(self->points.end(), points, points + 3 * count);
    // An updraught right of the y axis, still air left of it.
    for (uint32_t i = 0; i < count; ++i) {
      velocities[3 * i] = velocities[3 * i + 2] = 0;
      velocities[3 * i + 1] = points[3 * i] > 0 ? 40.0f : 0.0f;
    }
  }
};

TEST(Wind, CallbackSeesTheBonesAndIsAddedToTheRest) {
  Recorder recorder;
  std::vector<float> rest;
  for (float x : {-1.0f, 1.0f})
    for (int i = 0; i < 4; ++i) rest.insert(rest.end(), {x, -0.1f * static_cast<float>(i), 0.0f});
  Chains chains = scenes::make_chains({4, 4}, rest, false, false, with_drag(0.01f));
  Wind wind = constant_wind(0, 0, 5);
  wind.field = Recorder::field;
  wind.user = &recorder;
  ASSERT_TRUE(chains.set(wind));
  const std::vector<Transform> roots = {translation(-1, 0, 0), translation(1, 0, 0)};
  for (int frame = 0; frame < 300; ++frame) ASSERT_TRUE(chains.step(kFrame, roots));

  // The clock counts seconds.
  EXPECT_EQ(recorder.first_time, 0);
  EXPECT_NEAR(recorder.last_time, 5, 1e-3);
  for (size_t i = 0; i < recorder.points.size() / 3; ++i)
    ASSERT_LE(std::fabs(std::fabs(recorder.points[3 * i]) - 1), 0.31f);
  // 0.4 N of updraught against 0.2 N of weight lifts the right chain; both are blown toward +z.
  const std::vector<float> x = testing::positions_of(chains);
  EXPECT_LT(testing::vector_at(x.data(), 3)[1], -0.2);
  EXPECT_GT(testing::vector_at(x.data(), 7)[1], 0.1);
  EXPECT_GT(testing::vector_at(x.data(), 3)[2], 0.05);
  EXPECT_GT(testing::vector_at(x.data(), 7)[2], 0.005);
}

// A cape of 0.8 by 0.8 m and about 0.3 kg/m2, hanging from a bar along x.
testing::Sheet cape(float panel_drag, float panel_lift) {
  Settings settings = billow_settings_cape();
  settings.panel_drag = panel_drag;
  settings.panel_lift = panel_lift;
  settings.mass.value = 0.003f;
  return testing::hanging_sheet(9, 8, 0.1f, 0.1f, settings);
}
// How high the hem's middle is, on average over the last second of six.
double mean_hem_height(testing::Sheet sheet, float wind) {
  EXPECT_TRUE(sheet.chains.set(constant_wind(0, 0, wind)));
  double sum = 0;
  for (int frame = 0; frame < 360; ++frame) {
    EXPECT_TRUE(sheet.chains.step(kFrame, sheet.roots));
    if (frame >= 300)
      sum += testing::vector_at(testing::positions_of(sheet.chains).data(), 9 * 4 + 8)[1] / 60;
  }
  EXPECT_TRUE(testing::all_finite(testing::positions_of(sheet.chains)));
  return sum;
}

TEST(PanelWind, LiftsACape) {
  EXPECT_NEAR(mean_hem_height(cape(1.2f, 0.6f), 0), -0.8, 0.01) << "in still air it hangs";
  const double breeze = mean_hem_height(cape(1.2f, 0.6f), 3), gale = mean_hem_height(cape(1.2f, 0.6f), 15);
  // A gale of 15 m/s presses with 140 N/m2 on 3 N/m2 of weight: it flies nearly level.
  EXPECT_GT(breeze, -0.8 + 0.01);
  EXPECT_GT(gale, breeze + 0.2);
  EXPECT_GT(gale, -0.35);
}

TEST(PanelWind, LiftAddsToDrag) {
  EXPECT_GT(mean_hem_height(cape(1.2f, 1.2f), 6), mean_hem_height(cape(1.2f, 0), 6) + 0.01);
}

TEST(PanelWind, NeedsNeighbours) {
  // Chains that are no garment have no panels.
  Settings settings = billow_settings_cape();
  Chains chains = testing::hanging_chain(5, 0.1f, settings);
  ASSERT_TRUE(chains.set(constant_wind(0, 0, 15)));
  EXPECT_NEAR(length(tip_path(chains, kRoot, 60).back() - Vector{{0, -0.5, 0}}), 0, 1e-3);
}

}  // namespace
}  // namespace billow::wind_test
