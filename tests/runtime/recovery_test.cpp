// Trouble in a step: whatever a wind callback returns, the frame stays valid and the next ones are fine.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "support/hanging.h"

namespace billow {
namespace {

using testing::kFrame;
using testing::Vector;

// Air that misbehaves at the points right of `from_x`.
struct BadAir {
  float value = 0;
  float from_x = -1e9f;
  static void field(void* user, double, const float* points, uint32_t count, float* velocities) {
    const auto* self = static_cast<const BadAir*>(user);
    for (uint32_t i = 0; i < count; ++i)
      for (uint32_t k = 0; k < 3; ++k)
        velocities[3 * i + k] = points[3 * i] >= self->from_x ? self->value : 0;
  }
};

constexpr float kBadValues[] = {std::numeric_limits<float>::quiet_NaN(),
                                std::numeric_limits<float>::infinity(), 1e38f, -1e38f};

// A closed ring with every force that can carry trouble from chain to chain.
testing::Sheet fragile_ring(BadAir& air) {
  Settings settings = billow_settings_skirt();
  settings.drag.value = 0.01f;
  settings.panel_drag = 1.2f;
  settings.panel_lift = 0.6f;
  settings.rest_angle.value = settings.shrink.value = 0.1f;
  testing::Sheet closed = testing::hanging_ring(7, 5, 0.3, 0.1f, settings);
  Wind wind{};
  wind.field = BadAir::field;
  wind.user = &air;
  EXPECT_TRUE(closed.chains.set(wind));
  return closed;
}

// No rope longer than it may be.
void expect_intact(const Chains& chains, size_t chain_count, size_t bones) {
  const std::vector<float> x = testing::positions_of(chains), v = testing::velocities_of(chains);
  ASSERT_TRUE(testing::all_finite(x));
  ASSERT_TRUE(testing::all_finite(v));
  for (size_t c = 0; c < chain_count; ++c)
    for (size_t i = 1; i < bones; ++i)
      EXPECT_LT(length(testing::vector_at(x.data(), c * bones + i) -
                       testing::vector_at(x.data(), c * bones + i - 1)),
                0.1 * (1 + 1e-4));
}

TEST(Recovery, FromBadAirIsFlaggedAndComplete) {
  for (float bad : kBadValues) {
    SCOPED_TRACE(bad);
    BadAir air;
    testing::Sheet closed = fragile_ring(air);
    for (int frame = 0; frame < 10; ++frame) ASSERT_TRUE(closed.chains.step(kFrame, closed.roots));
    EXPECT_EQ(closed.chains.report().flags & BILLOW_FLAG_RECOVERED, 0u);

    air.value = bad;
    for (int frame = 0; frame < 3; ++frame) {
      ASSERT_TRUE(closed.chains.step(kFrame, closed.roots));
      EXPECT_TRUE(closed.chains.report().flags & BILLOW_FLAG_RECOVERED);
      expect_intact(closed.chains, 7, 6);
      EXPECT_TRUE(std::isfinite(closed.chains.report().collider_work));
    }
    air.value = 0;
    for (int frame = 0; frame < 30; ++frame) {
      ASSERT_TRUE(closed.chains.step(kFrame, closed.roots));
      EXPECT_EQ(closed.chains.report().flags & BILLOW_FLAG_RECOVERED, 0u) << "frame " << frame;
      expect_intact(closed.chains, 7, 6);
      EXPECT_TRUE(std::isfinite(closed.chains.report().collider_work));
    }
    // It hangs again as if nothing had been.
    EXPECT_NEAR(testing::tip_of(closed.chains)[1], -0.5, 0.01);
  }
}

TEST(Recovery, LeavesNothingBehindOutsideTheState) {
  // A set that has recovered goes on as a new one that is given its state: no bad number hides in scratch
  // memory.
  for (float bad : kBadValues) {
    SCOPED_TRACE(bad);
    BadAir air;
    testing::Sheet recovered = fragile_ring(air), fresh = fragile_ring(air);
    for (int frame = 0; frame < 5; ++frame) ASSERT_TRUE(recovered.chains.step(kFrame, recovered.roots));
    air.value = bad;
    ASSERT_TRUE(recovered.chains.step(kFrame, recovered.roots));
    air.value = 2;
    std::vector<std::byte> state(recovered.chains.state_size());
    ASSERT_TRUE(recovered.chains.save(state));
    ASSERT_TRUE(fresh.chains.restore(state));
    for (int frame = 0; frame < 20; ++frame) {
      ASSERT_TRUE(recovered.chains.step(kFrame, recovered.roots));
      ASSERT_TRUE(fresh.chains.step(kFrame, fresh.roots));
      ASSERT_EQ(recovered.chains.hash(), fresh.chains.hash()) << "frame " << frame;
    }
  }
}

TEST(Recovery, ResetsOnlyTheChainsThatNeedIt) {
  // Independent chains 0.5 m apart; the air is bad at the last one only.
  Settings settings = billow_settings_default();
  settings.drag.value = 0.01f;
  std::vector<float> rest;
  std::vector<Transform> roots;
  for (int c = 0; c < 6; ++c) {
    const float x = 0.5f * static_cast<float>(c);
    for (int i = 0; i < 5; ++i) rest.insert(rest.end(), {x + 0.1f * static_cast<float>(i), 0.0f, 0.0f});
    roots.push_back(translation(x, 0, 0));
  }
  Chains chains = scenes::make_chains(std::vector<uint32_t>(6, 5), rest, false, false, settings);
  BadAir air;
  air.from_x = 2.45f;
  Wind wind{};
  wind.field = BadAir::field;
  wind.user = &air;
  ASSERT_TRUE(chains.set(wind));
  for (int frame = 0; frame < 20; ++frame) ASSERT_TRUE(chains.step(kFrame, roots));
  air.value = std::numeric_limits<float>::quiet_NaN();
  ASSERT_TRUE(chains.step(kFrame, roots));
  EXPECT_TRUE(chains.report().flags & BILLOW_FLAG_RECOVERED);
  const std::vector<float> x = testing::positions_of(chains);
  // The sick one is back at its rest shape, straight out; the others go on falling.
  EXPECT_NEAR(testing::vector_at(x.data(), 29)[1], 0, 1e-6);
  for (size_t c = 0; c < 5; ++c) EXPECT_LT(testing::vector_at(x.data(), 5 * c + 4)[1], -0.1);
}

TEST(Recovery, IsNotNeededForExtremeButFiniteMotion) {
  // A root that jumps a kilometre a frame, with all thresholds off.
  Chains chains = testing::hanging_chain(5, 0.1f);
  for (int frame = 0; frame < 20; ++frame) {
    const Transform root = translation(frame % 2 ? 1000.0f : 0.0f, 0, 0);
    ASSERT_TRUE(chains.step(kFrame, {&root, 1}));
    ASSERT_TRUE(testing::all_finite(testing::positions_of(chains)));
    ASSERT_TRUE(testing::all_finite(testing::velocities_of(chains)));
  }
  const Transform root = translation(0, 0, 0);
  for (int frame = 0; frame < 600; ++frame) ASSERT_TRUE(chains.step(kFrame, {&root, 1}));
  EXPECT_LT(length(testing::tip_of(chains)), 0.5 * (1 + 1e-4));
}

}  // namespace
}  // namespace billow
