// Strain over frames.
#include "evaluate/strain.h"

#include <gtest/gtest.h>

namespace billow::evaluate::strain_test {
namespace {

TEST(StrainSum, IsTheRelativeChangeOfLengths) {
  // Lengths 1, 3 and 4 beside 1, 2 and 4 in the pattern.
  const std::vector<Edge> edges{{0, 1, 1}, {1, 2, 2}, {0, 2, 4}};
  const std::vector<float> positions{0, 0, 0, 0, 1, 0, 0, 4, 0}, wide{0, 0, 0, 3, 4, 0, 3, 1, 0};
  StrainSum once;
  once.add(edges, positions);
  EXPECT_NEAR(once.mean(), 100 * (0 + 0.5 + 0) / 3, 1e-6);
  EXPECT_NEAR(once.p99(), 50, 0.3);
  StrainSum both = once, other;
  other.add(edges, wide);  // lengths 5, 3 and sqrt(10)
  both.add(other);
  EXPECT_NEAR(other.mean(), 100 * (4 + 0.5 + (1 - std::sqrt(10) / 4)) / 3, 1e-4);
  EXPECT_NEAR(both.mean(), (once.mean() + other.mean()) / 2, 1e-9);
  EXPECT_NEAR(both.p99(), 400, 2);
  EXPECT_EQ(StrainSum().mean(), 0);
  EXPECT_EQ(StrainSum().p99(), 0);
}

}  // namespace
}  // namespace billow::evaluate::strain_test
