// Activations against the C library's.
#include "net/activate.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace billow {
namespace {

float one(F4 (*f)(F4), float x) { return lane(f(splat(x)), 0); }

TEST(Activate, TanhIsWithin5e7) {
  for (double x = -12; x < 12; x += 0.001) {
    const float at = static_cast<float>(x);
    EXPECT_NEAR(one(tanh, at), std::tanh(static_cast<double>(at)), 5e-7) << at;
  }
  EXPECT_EQ(one(tanh, 0), 0);
  EXPECT_NEAR(one(tanh, 1e30f), 1, 5e-7);
  EXPECT_NEAR(one(tanh, -std::numeric_limits<float>::infinity()), -1, 5e-7);
}

TEST(Activate, GeluIsWithin1e6) {
  for (double x = -12; x < 12; x += 0.001) {
    const double at = static_cast<double>(static_cast<float>(x));
    const double expected = 0.5 * at * (1 + std::erf(at * std::sqrt(0.5)));
    EXPECT_NEAR(one(gelu, static_cast<float>(x)), expected, 1e-6 * std::max(1.0, std::fabs(at))) << at;
  }
  EXPECT_EQ(one(gelu, 1e6f), 1e6f);
}

TEST(Activate, ReluIsZeroBelowZero) {
  EXPECT_EQ(one(relu, -3), 0);
  EXPECT_EQ(one(relu, 2.5f), 2.5f);
}

}  // namespace
}  // namespace billow
