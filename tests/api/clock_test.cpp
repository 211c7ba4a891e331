// Fixed steps: the same steps at any frame rate, and the same bits.
#include <gtest/gtest.h>

#include <billow/billow.hpp>
#include <cmath>
#include <limits>
#include <vector>

#include "support/hanging.h"

namespace billow::clock_test {
namespace {

TEST(Clock, LetsTimePassInWholeSteps) {
  for (const float rate : {30.0f, 50.0f, 60.0f, 90.0f, 240.0f})
    for (const float frame : {1.0f / 24, 1.0f / 60, 1.0f / 144, 0.0071f}) {
      Clock clock(rate);
      double passed = 0;
      for (int k = 0; k < 2000; ++k) {
        const double left = clock.get().left;
        const uint32_t count = clock.advance(frame).value();
        passed += static_cast<double>(frame);
        ASSERT_LT(clock.get().left, 1.0 / static_cast<double>(rate) + 1e-9);
        for (uint32_t s = 0; s < count; ++s) {
          const double at = static_cast<double>(clock.share(s)) * static_cast<double>(frame);
          ASSERT_NEAR(at, (s + 1) * static_cast<double>(clock.dt()) - left, 1e-8);
          ASSERT_GT(clock.share(s), 0);
          ASSERT_LE(clock.share(s), 1);
        }
      }
      if (rate * frame > 4) continue;  // some were dropped
      EXPECT_NEAR(static_cast<double>(clock.get().steps) * static_cast<double>(clock.dt()) + clock.get().left,
                  passed, 1e-9);
    }
}

TEST(Clock, TakesOneStepInAFrameOfItsLength) {
  for (const float rate : {30.0f, 50.0f, 60.0f, 72.0f, 120.0f}) {
    Clock clock(rate);
    for (int k = 0; k < 1000; ++k) {
      ASSERT_EQ(clock.advance(1 / rate).value(), 1u);
      ASSERT_EQ(clock.share(0), 1);
    }
  }
}

TEST(Clock, DropsTimeThatCannotBeCaughtUp) {
  Clock clock;
  EXPECT_EQ(clock.advance(10).value(), 4u);
  EXPECT_LT(clock.get().left, 1.0 / 60);
  EXPECT_EQ(clock.advance(1e9f).value(), 4u);
  EXPECT_LT(clock.get().left, 1.0 / 60);
  EXPECT_EQ(clock.advance(0).value(), 0u);
  EXPECT_EQ(clock.share(0), 1);
}

// Chains on a root whose place is known at any time.
uint64_t hash_after(float frame, uint64_t steps, Clock clock) {
  Chains chains = testing::hanging_chain(5, 0.1f);
  while (true) {
    const uint64_t first = clock.get().steps;
    const uint32_t count = clock.advance(frame).value();
    for (uint32_t s = 0; s < count; ++s) {
      const float time = static_cast<float>(first + s + 1) * clock.dt();
      const Transform root = translation(0.3f * std::sin(5 * time), 0, 0);
      EXPECT_TRUE(chains.step(clock.dt(), {&root, 1}));
      if (first + s + 1 == steps) return chains.hash();
    }
  }
}

TEST(Clock, GivesTheSameBitsAtAnyFrameRate) {
  const uint64_t wanted = hash_after(1.0f / 60, 90, Clock());
  for (const float frame : {1.0f / 24, 1.0f / 30, 1.0f / 144, 0.0113f})
    EXPECT_EQ(hash_after(frame, 90, Clock()), wanted);
}

TEST(Clock, RefusesWhatIsWrong) {
  uint32_t count = 7;
  billow_clock clock = billow_clock_default();
  EXPECT_EQ(billow_clock_advance(nullptr, 1, &count), BILLOW_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(billow_clock_advance(&clock, 1, nullptr), BILLOW_ERROR_INVALID_ARGUMENT);
  const float nan = std::numeric_limits<float>::quiet_NaN(),
              infinity = std::numeric_limits<float>::infinity();
  for (const float dt : {-1.0f, -1e-45f, nan, infinity, 1e30f})
    EXPECT_EQ(billow_clock_advance(&clock, dt, &count), BILLOW_ERROR_INVALID_ARGUMENT) << dt;
  for (const float rate : {0.0f, -60.0f, nan, infinity, 1e-45f, 1e9f}) {
    billow_clock bad = clock;
    bad.rate = rate;
    EXPECT_EQ(billow_clock_advance(&bad, 1, &count), BILLOW_ERROR_INVALID_ARGUMENT) << rate;
  }
  for (const double left : {-1e-9, 2.0, static_cast<double>(nan), static_cast<double>(infinity)}) {
    billow_clock bad = clock;
    bad.left = left;
    EXPECT_EQ(billow_clock_advance(&bad, 1, &count), BILLOW_ERROR_INVALID_ARGUMENT) << left;
  }
  billow_clock bad = clock;
  bad.max_steps = 0;
  EXPECT_EQ(billow_clock_advance(&bad, 1, &count), BILLOW_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(count, 7u);
  EXPECT_EQ(clock.steps, 0u);
  EXPECT_EQ(billow_clock_share(nullptr, 0), 1);
  EXPECT_EQ(billow_clock_dt(nullptr), 0);
  EXPECT_EQ(billow_clock_advance(&clock, 1e-45f, &count), BILLOW_OK);
  EXPECT_EQ(count, 0u);
}

}  // namespace
}  // namespace billow::clock_test
