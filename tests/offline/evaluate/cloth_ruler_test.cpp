// Bend, curvature and outlines of shapes that are known.
#include "evaluate/cloth_ruler.h"

#include <gtest/gtest.h>

#include <numbers>

#include "offline/garment/cloths.h"

namespace billow::evaluate {
namespace {

constexpr uint32_t kColumns = 60, kRows = 60;
constexpr double kSize = 0.6;  // m

// A square sheet with two chains from its top to its bottom.
garment::Garment sheet() {
  testing::GarmentMesh mesh =
      testing::make_grid({.columns = kColumns, .rows = kRows}, [](double u, double v) {
        return V3{testing::as_float(kSize * u), testing::as_float(kSize * (1 - v)), 0};
      });
  garment::Garment g = testing::as_garment(mesh, [](V3 p) { return p.y > kSize - 0.001; });
  g.rest = g.shape;
  const auto bone = [&](uint32_t column, uint32_t row) {
    const uint32_t v = row * (kColumns + 1) + column;
    g.bones.push_back({{v, v, v}, {1, 0, 0}});
    return static_cast<uint32_t>(g.bones.size() - 1);
  };
  for (const uint32_t column : {0u, kColumns})
    g.chains.push_back({bone(column, 0), bone(column, kRows / 2), bone(column, kRows)});
  return g;
}

std::vector<V3> rolled(const garment::Garment& g, double radius) {
  std::vector<V3> x;
  for (const V3& p : g.rest) {
    const double angle = static_cast<double>(p.x) / radius;
    x.push_back(
        {testing::as_float(radius * std::sin(angle)), p.y, testing::as_float(radius * std::cos(angle))});
  }
  return x;
}

double curvature(const ClothRuler& ruler, std::span<const V3> x, size_t scale) {
  CurvatureHistogram h;
  ruler.add_curvature(x, scale, h);
  return h.mean_absolute() / ruler.scale_length(scale);
}

TEST(ClothRuler, FlatClothHasNoBend) {
  const garment::Garment g = sheet();
  const ClothRuler ruler(g);
  EXPECT_LT(ruler.squared_bend(g.rest), 1e-6);
  for (size_t s = 0; s < kScales; ++s) EXPECT_LT(curvature(ruler, g.rest, s), 0.02) << s;
  // Each inner edge once: three edges a triangle, of which those of the border belong to one only.
  EXPECT_EQ(ruler.hinges(), (3 * g.triangles.size() - 2 * (kColumns + kRows)) / 2);
}

TEST(ClothRuler, CylinderHasHalfItsCurvature) {
  const garment::Garment g = sheet();
  const ClothRuler ruler(g);
  // Of two principal curvatures one is 0. Tessellation costs a few percent.
  for (size_t s = 0; s < kScales; ++s) EXPECT_NEAR(curvature(ruler, rolled(g, 0.2), s), 2.5, 0.2) << s;
}

// Wrinkles of one edge are seen at the scale of edges and averaged out at 10 cm.
TEST(ClothRuler, ScalesSeeWhatIsOfTheirSize) {
  const garment::Garment g = sheet();
  const ClothRuler ruler(g);
  std::vector<V3> fine = g.rest, wide = g.rest;
  for (size_t v = 0; v < g.size(); ++v) {
    fine[v].z += v % 2 ? 0.001f : -0.001f;
    wide[v].z += 0.02f * std::sin(static_cast<float>(2 * std::numbers::pi / 0.3) * wide[v].x);
  }
  EXPECT_GT(curvature(ruler, fine, 0), 5);
  EXPECT_LT(curvature(ruler, fine, 2), 0.1);
  EXPECT_GT(curvature(ruler, wide, 2), 1);
}

// On a cylinder normals turn by the arc over the radius, around it only.
TEST(ClothRuler, TurnsAreAlongTheHangOrAcrossIt) {
  const garment::Garment g = sheet();
  const ClothRuler ruler(g);
  Turns turns;
  ruler.add_turns(rolled(g, 0.2), turns);
  EXPECT_NEAR(turns.across.percentile(0.5), 0.15, 0.01);
  EXPECT_LT(turns.along.percentile(0.9), 0.07);  // pairs are up to 26 degrees off the hang
}

TEST(CurvatureHistogram, DistanceOfFlatClothIsOne) {
  const garment::Garment g = sheet();
  const ClothRuler ruler(g);
  CurvatureHistogram flat, bent, less;
  ruler.add_curvature(g.rest, 1, flat);
  ruler.add_curvature(rolled(g, 0.2), 1, bent);
  ruler.add_curvature(rolled(g, 0.4), 1, less);
  EXPECT_NEAR(flat.distance(bent), 1, 0.03);
  EXPECT_NEAR(less.distance(bent), 0.5, 0.03);
  EXPECT_EQ(bent.distance(bent), 0);
  EXPECT_EQ(CurvatureHistogram().distance(bent), 0);
}

TEST(ClothRuler, HemIsTheBorderAtTheTips) {
  const garment::Garment g = sheet();
  const ClothRuler ruler(g);
  const std::vector<uint32_t>& hem = ruler.hem();
  for (uint32_t c = 0; c <= kColumns; ++c)
    EXPECT_NE(std::find(hem.begin(), hem.end(), kRows * (kColumns + 1) + c), hem.end()) << c;
  for (const uint32_t v : hem) EXPECT_LT(g.rest[v].y, 0.3 * kSize);
  // Half of a circle on the ground.
  const double radius = kSize / std::numbers::pi;
  EXPECT_NEAR(ruler.hem_area(rolled(g, radius)), std::numbers::pi * radius * radius / 2, 0.001);
}

TEST(HullArea, OfASquareWithPointsInsideAndOnItsSides) {
  EXPECT_NEAR(hull_area({{0, 0}, {2, 0}, {1, 1}, {2, 2}, {0, 2}, {0, 1}, {1, 0}}), 4, 1e-12);
  EXPECT_EQ(hull_area({{0, 0}, {1, 1}, {2, 2}}), 0);
  EXPECT_EQ(hull_area({}), 0);
}

}  // namespace
}  // namespace billow::evaluate
