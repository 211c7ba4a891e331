// Tangents follow the u axis of the pattern, for any shape of the cloth and any pattern.
#include "decode/tangents.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace billow::tangents_test {
namespace {

constexpr uint32_t kSide = 6, kVertices = kSide * kSide;

// A square of cloth with cells of 0.1 m, whose positions are place(u, v) and whose pattern is mapped by
// pattern(u, v).
struct Square {
  explicit Square(V3 (*place)(float u, float v), void (*pattern)(float& u, float& v)) {
    for (uint32_t r = 0; r < kSide; ++r)
      for (uint32_t c = 0; c < kSide; ++c) {
        float u = 0.1f * static_cast<float>(c), v = 0.1f * static_cast<float>(r);
        const V3 p = place(u, v);
        positions.insert(positions.end(), {p.x, p.y, p.z});
        pattern(u, v);
        pattern_uvs.insert(pattern_uvs.end(), {u, v});
        if (r + 1 == kSide || c + 1 == kSide) continue;
        const uint32_t a = r * kSide + c;
        triangles.insert(triangles.end(), {a, a + 1, a + kSide, a + 1, a + kSide + 1, a + kSide});
      }
    rest = positions;
    positions.resize(positions.size() + kLanes), normals.resize(positions.size());
    first.resize(kVertices + 1), corners.resize(2 * triangles.size());
    polygons.corners = polygon_corners.data();
    find_rows();
  }
  void find_rows() {
    const NormalScratch scratch{first.data(), corners.data()};
    NormalPolygons counted;
    find_normal_polygons(triangles.data(), static_cast<uint32_t>(triangles.size() / 3), kVertices, scratch,
                         counted);
    more.resize(counted.more_count + 1);
    polygons.more = more.data();
    find_normal_polygons(triangles.data(), static_cast<uint32_t>(triangles.size() / 3), kVertices, scratch,
                         polygons);
    find_normals(polygons, positions.data(), normals.data());
    const uint32_t count = count_neighbours(scratch, kVertices);
    row_first.resize(kVertices + 1), neighbours.resize(count), coefficients.resize(count),
        side.resize(kVertices);
    rows = {row_first.data(), neighbours.data(), coefficients.data(), side.data(), 0};
    find_tangent_rows(scratch, pattern_uvs.data(), rest.data(), kVertices, rows);
    EXPECT_EQ(rows.count, count);
  }
  V3 tangent(uint32_t v) const { return find_tangent(rows, positions.data(), normals.data(), v); }
  V3 normal(uint32_t v) const { return {normals[3 * v], normals[3 * v + 1], normals[3 * v + 2]}; }

  std::vector<float> positions, rest, normals, pattern_uvs, coefficients, side;
  std::vector<uint32_t> triangles, first, corners, row_first, neighbours;
  std::vector<uint32_t> polygon_corners = std::vector<uint32_t>((kVertices + kLanes) * kPolygon);
  std::vector<NormalPolygons::More> more;
  NormalPolygons polygons;
  TangentRows rows;
};

V3 flat_place(float u, float v) { return {u, v, 0}; }
// Rolled on a cylinder of radius 0.3.
V3 rolled(float u, float v) { return {0.3f * std::sin(u / 0.3f), v, 0.3f * std::cos(u / 0.3f)}; }
void identity(float&, float&) {}

TEST(Tangents, FollowU) {
  const Square s(flat_place, identity);
  EXPECT_EQ(s.rows.count, 2u * (2 * kSide * (kSide - 1) + (kSide - 1) * (kSide - 1))) << "two per edge";
  for (uint32_t v = 0; v < kVertices; ++v) {
    EXPECT_LT(length(s.tangent(v) - V3{1, 0, 0}), 1e-5f) << v;
    EXPECT_EQ(s.side[v], 1);
  }
}

TEST(Tangents, OfCurvedClothAreOrthogonalToItsNormals) {
  const Square s(rolled, identity);
  for (uint32_t r = 0; r < kSide; ++r)
    for (uint32_t c = 0; c < kSide; ++c) {
      const uint32_t v = r * kSide + c;
      const float angle = 0.1f * static_cast<float>(c) / 0.3f;
      const V3 t = s.tangent(v);
      EXPECT_NEAR(dot(t, s.normal(v)), 0, 1e-5f);
      EXPECT_NEAR(length(t), 1, 1e-5f);
      // At the edges, normals and tangents are one-sided.
      const bool edge = r == 0 || r + 1 == kSide || c == 0 || c + 1 == kSide;
      const float tolerance = edge ? 0.2f : 0.01f;
      EXPECT_LT(length(t - V3{std::cos(angle), 0, -std::sin(angle)}), tolerance) << v;
    }
}

TEST(Tangents, PatternsMayBeRotatedStretchedAndMirrored) {
  const Square rotated(flat_place, [](float& u, float& v) {
    const float was = u;
    u = 2 * v, v = -2 * was;
  });
  const Square mirrored(flat_place, [](float& u, float&) { u = -u; });
  for (uint32_t v = 0; v < kVertices; ++v) {
    EXPECT_LT(length(rotated.tangent(v) - V3{0, 1, 0}), 1e-5f) << v;
    EXPECT_EQ(rotated.side[v], 1);
    EXPECT_LT(length(mirrored.tangent(v) - V3{-1, 0, 0}), 1e-5f) << v;
    EXPECT_EQ(mirrored.side[v], -1) << "w * cross(normal, tangent) is the direction of v";
  }
}

TEST(Tangents, TrianglesAcrossASeamAreLeftOut) {
  // The pattern starts again at the last column, as on a skirt.
  const Square s(flat_place, [](float& u, float&) {
    if (u > 0.45f) u = -3;
  });
  for (uint32_t r = 0; r < kSide; ++r)
    for (uint32_t c = 0; c + 1 < kSide; ++c)
      EXPECT_LT(length(s.tangent(r * kSide + c) - V3{1, 0, 0}), 1e-5f) << r << " " << c;
  // The last column has no triangles of its own; its tangents still have unit length.
  EXPECT_NEAR(length(s.tangent(kSide - 1)), 1, 1e-5f);
}

TEST(Tangents, DegenerateClothHasUnitTangents) {
  Square s(flat_place, identity);
  std::fill(s.positions.begin(), s.positions.end(), 1.0f);
  for (uint32_t v = 0; v < kVertices; ++v) EXPECT_NEAR(length(s.tangent(v)), 1, 1e-5f);
}

}  // namespace
}  // namespace billow::tangents_test
