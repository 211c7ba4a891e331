// Keyframed curves: smooth, constant between equal keys, exact where derivatives are given.
#include "motion/track.h"

#include <gtest/gtest.h>

#include <cmath>

namespace billow::motion {
namespace {

TEST(MotionTrack, InterpolatesItsKeysAndIsConstantBeyondThem) {
  Track track;
  EXPECT_EQ(track.at(3), 0);
  for (const auto& [t, x] : {std::pair{1.0, 2.0}, {2.0, -1.0}, {2.5, 4.0}, {4.0, 4.5}}) track.key(t, x);
  EXPECT_DOUBLE_EQ(track.at(1), 2);
  EXPECT_DOUBLE_EQ(track.at(2), -1);
  EXPECT_NEAR(track.at(2.5), 4, 1e-12);
  EXPECT_DOUBLE_EQ(track.at(-5), 2);
  EXPECT_DOUBLE_EQ(track.at(9), 4.5);
  // Extrema are at keys.
  for (double t = 1; t < 4; t += 0.01) {
    EXPECT_GE(track.at(t), -1.05) << t;
    EXPECT_LE(track.at(t), 4.55) << t;
  }
  track.key(2, 7);  // replaces
  EXPECT_DOUBLE_EQ(track.at(2), 7);
  track.erase(1.9, 2.1);
  EXPECT_GT(track.at(2), 2);
  EXPECT_LT(track.at(2), 4.1);
  track.cut(2);
  EXPECT_DOUBLE_EQ(track.at(2), 2);
}

TEST(MotionTrack, IsTwiceDifferentiable) {
  Track track;
  for (int k = 0; k < 12; ++k) track.key(0.3 * k + 0.05 * (k % 3), std::sin(1.7 * k) + 0.3 * k);
  constexpr double h = 1e-4;
  double before = 0;
  for (double t = 0.1; t < 3.2; t += h) {
    const double second = (track.at(t + h) - 2 * track.at(t) + track.at(t - h)) / (h * h);
    EXPECT_LT(std::fabs(second - before), t > 0.15 ? 1.5 : 1e30) << t;  // a jump would be some tens
    before = second;
    EXPECT_NEAR(track.slope(t), (track.at(t + h) - track.at(t - h)) / (2 * h), 1e-3) << t;
  }
}

TEST(MotionTrack, HoldsAndHasMinimumJerkBetweenHolds) {
  Track track;
  track.key(0, 1), track.key(1, 1), track.key(2, 3), track.key(3, 3);
  for (double t = 0; t <= 1; t += 0.05) EXPECT_NEAR(track.at(t), 1, 1e-12);
  for (double t = 2; t <= 3; t += 0.05) EXPECT_NEAR(track.at(t), 3, 1e-12);
  // Minimum jerk (Flash and Hogan 1985): the peak speed is 1.875 times the mean.
  EXPECT_NEAR(track.at(1.5), 2, 1e-9);
  EXPECT_NEAR(track.slope(1.5), 1.875 * 2, 1e-9);
}

TEST(MotionTrack, GivenDerivativesMakeAParabola) {
  const auto fall = [](double t) { return 2 + 3 * t - 0.5 * 9.81 * t * t; };
  Track track;
  track.key(0, fall(0), 3, -9.81);
  track.key(0.7, fall(0.7), 3 - 0.7 * 9.81, -9.81);
  for (double t = 0; t <= 0.7; t += 0.01) EXPECT_NEAR(track.at(t), fall(t), 1e-12);
}

}  // namespace
}  // namespace billow::motion
