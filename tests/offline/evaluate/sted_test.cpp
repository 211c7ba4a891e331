// The measures that all evaluations share: STED, and percentiles of many values.
#include "evaluate/sted.h"

#include <gtest/gtest.h>

#include "evaluate/histogram.h"
#include "offline/evaluate/small_set.h"

namespace billow::evaluate::sted_test {
namespace {

TEST(Sted, WorkedOutByHand) {
  // Two edges of 1 m and 3 m meet at the middle one of three vertices; the first is stretched by 40 %.
  const std::vector<Edge> edges{{0, 1, 1}, {1, 2, 3}};
  const std::vector<float> reference{1, 3}, now{1.4f, 3};
  // The end vertices have one edge and no deviation. Middle: mean 0.1, variance (1 * 0.09 + 3 * 0.01) / 4.
  EXPECT_NEAR(sted_space(edges, 3, reference, now), std::sqrt(0.03) / 3, 1e-6);

  // One vertex moves by 3 instead of 0; with h = 4, s is 5 instead of 4. The other is exact.
  const std::vector<float> zero(6), moved{3, 0, 0, 0, 0, 0};
  EXPECT_NEAR(sted_time(zero, zero, zero, moved, 4), 0.25 / 2, 1e-6);
  EXPECT_NEAR(sted(0.3, 1), std::sqrt(0.09 + 0.0169), 1e-9);
}

TEST(Sted, EdgesOnceEach) {
  const testing::SmallSet set({"t"}, [](V3 rest, size_t, size_t) { return rest; });
  // Along, across, and one diagonal per cell.
  EXPECT_EQ(edges_of(set.garment()).size(), 6u * 9 + 7 * 8 + 6 * 8);
}

TEST(Histogram, Percentiles) {
  Histogram h;
  EXPECT_EQ(h.percentile(0.5), 0);
  for (int i = 1; i <= 1000; ++i) h.add(static_cast<float>(i));
  EXPECT_NEAR(h.percentile(0.5), 500, 3);
  EXPECT_NEAR(h.percentile(0.95), 950, 5);
  Histogram other;
  for (int i = 0; i < 1000; ++i) other.add(0);
  h.add(other);
  EXPECT_EQ(h.percentile(0.4), 0);
  EXPECT_NEAR(h.percentile(0.75), 500, 3);
  h.add(1e30f);
  EXPECT_NEAR(h.percentile(1), 16384, 80);
}

}  // namespace
}  // namespace billow::evaluate::sted_test
