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

TEST(ClothMeasures, RejectClothThatBlewUp) {
  const Pieces p;
  std::vector<V3> x = p.flat;
  x[2].y = std::nanf("");
  MeasureSum sum;
  sum.add(measure(p.sheet, p.flat, std::vector<float>(7), true), true);
  sum.add(measure(p.sheet, x, std::vector<float>(7), true), true);
  EXPECT_FALSE(is_usable(sum.quality(), 7));
  EXPECT_EQ(sum.quality().strain_frame, 1u);
}

TEST(ClothMeasures, CountCrossings) {
  const Pieces p;
  std::vector<V3> x = p.flat;
  EXPECT_EQ(count_crossings(p.sheet, x).all, 0u);
  // Move the triangle through the square: two of its edges intersect it.
  x[4] = {0.7f, 0.2f, -0.5f}, x[5] = {0.7f, 0.3f, 0.5f}, x[6] = {0.7f, 0.4f, -0.4f};
  EXPECT_EQ(count_crossings(p.sheet, x).all, 2u);
}

// A strip of squares, as long as wanted.
struct Strip {
  explicit Strip(int length) {
    for (int i = 0; i <= length; ++i)
      for (int j = 0; j < 2; ++j) pattern_uvs.push_back({static_cast<float>(i), static_cast<float>(j), 0});
    for (uint32_t i = 0; i < 2 * static_cast<uint32_t>(length); i += 2) {
      triangles.push_back({i, i + 2, i + 1});
      triangles.push_back({i + 1, i + 2, i + 3});
    }
    sheet = cloth::make_sheet(pattern_uvs, triangles, {});
  }
  // Its end goes down through the square at `through`, whose middle is at x = through + 0.5.
  Crossings with_its_end_through(size_t through) const {
    std::vector<V3> x = pattern_uvs;
    const size_t last = x.size() - 2;
    for (size_t j = 0; j < 2; ++j) {
      const float y = 0.3f + 0.4f * static_cast<float>(j), at = static_cast<float>(through) + 0.4f;
      x[last - 2 + j] = {at, y, 0.5f}, x[last + j] = {at, y, -0.5f};
    }
    return count_crossings(sheet, x);
  }
  std::vector<V3> pattern_uvs;
  std::vector<cloth::Triangle> triangles;
  cloth::Sheet sheet;
};

// Folds as narrow as the mesh is coarse pass through themselves, which is no tangle; the simulator keeps only what is farther apart on
// the flat cloth from each other.
TEST(ClothMeasures, NarrowFoldsAreNotTangled) {
  const Strip strip(12);
  const Crossings fold = strip.with_its_end_through(9), tangle = strip.with_its_end_through(3);
  EXPECT_GT(fold.all, 0u);
  EXPECT_EQ(fold.tangled, 0u);
  EXPECT_GT(tangle.all, 0u);
  EXPECT_EQ(tangle.tangled, tangle.all);
}

TEST(ClothMeasures, AreAveraged) {
  MeasureSum sum;
  ClothMeasures a, b;
  a.strain_p99 = 0.02, a.deepest = 0.001, a.crossings = 4, a.tangled = 3;
  b.strain_p99 = 0.04, b.deepest = 0.003;
  sum.add(a, true);
  sum.add(b, false);
  EXPECT_NEAR(sum.mean().strain_p99, 0.03, 1e-9);
  EXPECT_NEAR(sum.quality().strain, 0.04, 1e-9);
  EXPECT_EQ(sum.quality().strain_frame, 1u);
  EXPECT_EQ(sum.quality().deepest_frame, 1u);
  EXPECT_EQ(sum.quality().tangled_frame, 0u);
  EXPECT_NEAR(sum.mean().deepest, 0.003, 1e-9);
  EXPECT_NEAR(sum.mean().crossings, 4, 1e-9);
  EXPECT_NEAR(sum.mean().tangled, 3, 1e-9);
}

}  // namespace
}  // namespace billow::dataset
