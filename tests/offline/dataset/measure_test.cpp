// Quality measures of cloth: strain, penetration and self-intersections.
#include "dataset/measure.h"

#include <gtest/gtest.h>

namespace billow::dataset {
namespace {

// A square of two triangles, and a separate triangle.
struct Pieces {
  std::vector<V3> flat{{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {3, 0, 0}, {4, 0, 0}, {3, 1, 0}};
  std::vector<cloth::Triangle> triangles{{0, 1, 2}, {0, 2, 3}, {4, 5, 6}};
  cloth::Sheet sheet = cloth::make_sheet(flat, triangles, {});
};

TEST(ClothMeasures, MeasureStrainAndDepth) {
  const Pieces p;
  std::vector<V3> x = p.flat;
  for (V3& v : x) v = v * 1.1f;
  const std::vector<float> distances{0.1f, -0.0005f, -0.003f, 0, 0, 0, 0};
  const ClothMeasures f = measure(p.sheet, x, distances, true);
  EXPECT_NEAR(f.strain_mean, 0.1, 1e-5);
  EXPECT_NEAR(f.strain_max, 0.1, 1e-5);
  EXPECT_NEAR(f.penetrating, 1.0 / 7, 1e-6);
  EXPECT_NEAR(f.deepest, 0.003, 1e-6);
  EXPECT_EQ(f.crossings, 0);
}

TEST(ClothMeasures, CountCrossings) {
  const Pieces p;
  std::vector<V3> x = p.flat;
  EXPECT_EQ(count_crossings(p.sheet, x), 0u);
  // Move the triangle through the square: two of its edges intersect it.
  x[4] = {0.7f, 0.2f, -0.5f}, x[5] = {0.7f, 0.3f, 0.5f}, x[6] = {0.7f, 0.4f, -0.4f};
  EXPECT_EQ(count_crossings(p.sheet, x), 2u);
}

TEST(ClothMeasures, AreAveraged) {
  MeasureSum sum;
  ClothMeasures a, b;
  a.strain_p99 = 0.02, a.deepest = 0.001, a.crossings = 4;
  b.strain_p99 = 0.04, b.deepest = 0.003;
  sum.add(a, true);
  sum.add(b, false);
  EXPECT_NEAR(sum.mean().strain_p99, 0.03, 1e-9);
  EXPECT_NEAR(sum.worst_p99(), 0.04, 1e-9);
  EXPECT_NEAR(sum.mean().deepest, 0.003, 1e-9);
  EXPECT_NEAR(sum.mean().crossings, 4, 1e-9);
}

}  // namespace
}  // namespace billow::dataset
