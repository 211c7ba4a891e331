// Placing a mesh on its character.
#include "garment/place.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "garment/cloth_mesh.h"

namespace billow::garment {
namespace {

constexpr float kTurn = 2 * std::numbers::pi_v<float>;

// An open tube about the vertical: `columns` vertices round, `rows` rings of them, wound outward.
void add_tube(float radius, float low, float high, uint32_t columns, uint32_t rows,
              std::vector<V3>& positions, std::vector<Triangle>& triangles) {
  for (uint32_t r = 0; r < rows; ++r)
    for (uint32_t c = 0; c < columns; ++c) {
      const float angle = kTurn * static_cast<float>(c) / static_cast<float>(columns);
      positions.push_back({radius * std::sin(angle),
                           low + (high - low) * static_cast<float>(r) / static_cast<float>(rows - 1),
                           radius * std::cos(angle)});
    }
  for (uint32_t r = 0; r + 1 < rows; ++r)
    for (uint32_t c = 0; c < columns; ++c) {
      const uint32_t a = r * columns + c, b = r * columns + (c + 1) % columns;
      triangles.push_back({a, b, b + columns});
      triangles.push_back({a, b + columns, a + columns});
    }
}

float radius_of(V3 p) { return std::hypot(p.x, p.z); }

TEST(Placing, GuessesTheUnitOfWhatIsNoGarmentInMetres) {
  const auto guess = [](float height) {
    const std::vector<V3> positions{{0, 0, 0}, {0.1f, height, 0}};
    return guess_unit(positions, 1.75f);
  };
  EXPECT_EQ(guess(0.25f), 1);
  EXPECT_EQ(guess(1.6f), 1);
  EXPECT_EQ(guess(90), 0.01f);
  EXPECT_EQ(guess(36), 0.0254f);
  EXPECT_EQ(guess(800), 0.001f);
  EXPECT_EQ(guess(1e6f), 0);
  GarmentMesh tiny;
  tiny.positions = {{0, 0, 0}, {0, 1e-3f, 0}};
  EXPECT_THROW(place(tiny, {}, 1.75f), std::invalid_argument);
}

TEST(Placing, ScalesTurnsAndMovesInThisOrder) {
  GarmentMesh mesh;
  mesh.positions = {{0, 50, 100}, {0, 0, 0}};
  EXPECT_EQ(place(mesh, {.scale = 0.01f, .z_up = true, .turn = 90, .move = {0, 0.5f, 0}}, 1.75f), 0.01f);
  // z up: (0, 1, -0.5); a quarter turn takes what is behind to the right.
  EXPECT_NEAR(mesh.positions[0].x, -0.5f, 1e-6f);
  EXPECT_NEAR(mesh.positions[0].y, 1.5f, 1e-6f);
  EXPECT_NEAR(mesh.positions[0].z, 0, 1e-6f);
}

TEST(Placing, RefinesWithoutMovingWhatIsThere) {
  GarmentMesh mesh;
  add_tube(0.2f, 0, 1, 6, 3, mesh.positions, mesh.triangles);
  mesh.groups.push_back({"all", {0, 5}});
  const GarmentMesh before = mesh;
  refine(mesh, 0.1f);
  for (size_t v = 0; v < before.positions.size(); ++v)
    EXPECT_EQ(length(mesh.positions[v] - before.positions[v]), 0);
  float longest = 0;
  for (const Triangle& t : mesh.triangles)
    for (size_t k = 0; k < 3; ++k)
      longest = std::max(longest, length(mesh.positions[t[k]] - mesh.positions[t[(k + 1) % 3]]));
  EXPECT_LE(longest, 0.1f);
  const size_t factor = mesh.triangles.size() / before.triangles.size();
  EXPECT_EQ(mesh.groups[0].triangles.size(), 2 * factor);
  // Neighbours share the vertices between them: a tube that is closed round has two borders.
  EXPECT_EQ(topology_of(mesh.positions.size(), mesh.triangles).borders.size(), 2u);
}

TEST(Placing, DrawsTheSeamOntoTheSkinAndClothOutOfIt) {
  body::Mesh skin;
  add_tube(0.15f, -1, 1, 64, 41, skin.positions, skin.triangles);
  // Wide at the seam, too narrow below it.
  std::vector<V3> cloth;
  std::vector<Triangle> triangles;
  add_tube(0.2f, 0, 0.4f, 40, 21, cloth, triangles);
  Region attached(cloth.size(), false);
  for (size_t v = 0; v < cloth.size(); ++v) {
    attached[v] = cloth[v].y > 0.35f;
    const float factor = cloth[v].y < 0.2f ? 0.6f : 1;
    cloth[v] = {factor * cloth[v].x, cloth[v].y, factor * cloth[v].z};
  }
  const Fit before = measure_fit(cloth, attached, skin);
  EXPECT_NEAR(before.gap, 0.05f, 0.005f);
  EXPECT_GT(before.inside, 300u);
  EXPECT_NEAR(before.deepest, 0.03f, 0.005f);

  const float moved = fit_on_body(cloth, triangles, attached, skin);
  EXPECT_LT(moved, 0.1f);
  const Fit after = measure_fit(cloth, attached, skin);
  EXPECT_LT(after.gap, 0.012f);
  EXPECT_EQ(after.inside, 0u);
  // Cloth between what is drawn in and what is pushed out keeps its shape: it moves outward by less than that.
  for (size_t v = 0; v < cloth.size(); ++v) {
    EXPECT_LT(radius_of(cloth[v]), 0.2f + 0.034f);
    EXPECT_GT(radius_of(cloth[v]), 0.13f);
  }
}

}  // namespace
}  // namespace billow::garment
