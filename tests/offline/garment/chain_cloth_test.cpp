// Cloth properties of chain bones: areas, lateral lengths, mass factors.
#include <gtest/gtest.h>

#include <numeric>

#include "garment/garment.h"
#include "offline/garment/cloths.h"

namespace billow::garment {
namespace {

// A sheet with a pattern of 0.6 by 0.8 m, gathered to half its width. Chains run down both sides, five bones
// each.
Garment folded_sheet() {
  Garment g = testing::as_garment(
      testing::make_grid({.columns = 6, .rows = 8},
                         [](double u, double v) {
                           return V3{testing::as_float(0.3 * u), testing::as_float(1.4 - 0.8 * v), 0};
                         }),
      [](V3 p) { return p.y > 1.39f; });
  g.pattern_uvs.clear();
  for (const V3& p : g.shape) g.pattern_uvs.push_back({2 * p.x, p.y});
  g.rest = g.shape;
  for (const uint32_t column : {0u, 6u}) {
    g.chains.emplace_back();
    for (uint32_t row = 0; row <= 8; row += 2) {
      g.bones.push_back({{row * 7 + column, row * 7 + column, row * 7 + column}, {1, 0, 0}});
      g.chains.back().push_back(static_cast<uint32_t>(g.bones.size() - 1));
    }
  }
  return g;
}

TEST(ChainCloth, IsMeasuredOnThePattern) {
  const ChainCloth cloth = chain_cloth(folded_sheet());
  ASSERT_EQ(cloth.areas.size(), 10u);
  for (size_t k = 0; k < 5; ++k) {
    EXPECT_NEAR(cloth.lateral_lengths[k], 0.6f, 1e-5f);
    EXPECT_EQ(cloth.lateral_lengths[5 + k], 0) << "the last chain of an open garment has no next one";
  }
  EXPECT_NEAR(std::accumulate(cloth.areas.begin(), cloth.areas.end(), 0.0f), 0.48f, 1e-4f);
  // An inner bone has 0.3 by 0.2 m of cloth, the last one half of that.
  EXPECT_NEAR(cloth.areas[2], 0.06f, 0.006f);
  EXPECT_NEAR(cloth.areas[4], 0.03f, 0.006f);
}

TEST(ChainCloth, MassFactorsPreserveTheMassOfTheCloth) {
  const ChainCloth cloth = chain_cloth(folded_sheet());
  float mass = 0, area = 0;
  for (const size_t b : {1, 2, 3, 4, 6, 7, 8, 9})
    mass += cloth.mass_factors[b] * 0.15f * cloth.mean_area, area += cloth.areas[b];
  EXPECT_NEAR(mass, 0.15f * area, 1e-5f);
}

}  // namespace
}  // namespace billow::garment
