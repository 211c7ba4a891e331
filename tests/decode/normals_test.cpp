// Normals by polygons against sums over triangles.
#include "decode/normals.h"

#include <gtest/gtest.h>

#include <vector>

#include "support/random.h"

namespace billow::normals_test {
namespace {

struct Mesh {
  std::vector<uint32_t> triangles;
  std::vector<float> positions;
  uint32_t vertices() const { return static_cast<uint32_t>(positions.size() / 3); }
};

std::vector<float> normals_of(const Mesh& mesh, uint32_t* more = nullptr) {
  const uint32_t count = static_cast<uint32_t>(mesh.triangles.size() / 3);
  std::vector<uint32_t> first(mesh.vertices() + 1), around(6 * count),
      corners(kPolygon * (mesh.vertices() + kLanes));
  const NormalScratch scratch{first.data(), around.data()};
  NormalPolygons polygons;
  find_normal_polygons(mesh.triangles.data(), count, mesh.vertices(), scratch, polygons);
  std::vector<NormalPolygons::More> rest(polygons.more_count + 1);
  polygons.corners = corners.data();
  polygons.more = rest.data();
  find_normal_polygons(mesh.triangles.data(), count, mesh.vertices(), scratch, polygons);
  if (more) *more = polygons.more_count;
  std::vector<float> positions = mesh.positions, normals(3 * (mesh.vertices() + kLanes));
  positions.push_back(0);
  find_normals(polygons, positions.data(), normals.data());
  normals.resize(3 * mesh.vertices());
  return normals;
}

void expect_triangle_normals(const Mesh& mesh) {
  const auto at = [&](uint32_t v) {
    return V3{mesh.positions[3 * v], mesh.positions[3 * v + 1], mesh.positions[3 * v + 2]};
  };
  std::vector<V3> sums(mesh.vertices(), V3{0, 0, 0});
  for (size_t t = 0; t < mesh.triangles.size(); t += 3) {
    const uint32_t* v = &mesh.triangles[t];
    const V3 area = cross(at(v[1]) - at(v[0]), at(v[2]) - at(v[0]));
    for (int k = 0; k < 3; ++k) sums[v[k]] += area;
  }
  const std::vector<float> normals = normals_of(mesh);
  for (uint32_t v = 0; v < mesh.vertices(); ++v) {
    const float size = length(sums[v]);
    const V3 expected = size > 1e-5f ? sums[v] * (1 / size) : V3{0, 1, 0};
    EXPECT_NEAR(normals[3 * v], expected.x, 2e-4) << "vertex " << v;
    EXPECT_NEAR(normals[3 * v + 1], expected.y, 2e-4) << "vertex " << v;
    EXPECT_NEAR(normals[3 * v + 2], expected.z, 2e-4) << "vertex " << v;
  }
}

Mesh sheet(uint32_t across, uint32_t down) {
  testing::Random random(3);
  Mesh mesh;
  for (uint32_t r = 0; r < down; ++r)
    for (uint32_t c = 0; c < across; ++c) {
      mesh.positions.insert(mesh.positions.end(),
                            {static_cast<float>(c), random.uniform_float(-0.4, 0.4), static_cast<float>(r)});
      if (r + 1 == down || c + 1 == across) continue;
      const uint32_t v = r * across + c;
      mesh.triangles.insert(mesh.triangles.end(), {v, v + across, v + 1, v + 1, v + across, v + across + 1});
    }
  return mesh;
}

TEST(Normals, OfASheetMatchItsTriangles) { expect_triangle_normals(sheet(11, 9)); }

TEST(Normals, ASheetNeedsNoExtraQuadrilaterals) {
  uint32_t more = 1;
  normals_of(sheet(11, 9), &more);
  EXPECT_EQ(more, 0u);
}

TEST(Normals, OfAFanWithManyCorners) {
  Mesh mesh;
  mesh.positions = {0, 0.5f, 0};
  constexpr uint32_t kCorners = 90;
  for (uint32_t k = 0; k < kCorners; ++k) {
    const float angle = 6.2831853f * static_cast<float>(k) / kCorners;
    mesh.positions.insert(mesh.positions.end(),
                          {std::cos(angle), 0.1f * std::cos(3 * angle), -std::sin(angle)});
    mesh.triangles.insert(mesh.triangles.end(), {0, 1 + k, 1 + (k + 1) % kCorners});
  }
  expect_triangle_normals(mesh);
}

TEST(Normals, OfTrianglesInNoOrder) {
  testing::Random random(9);
  for (int round = 0; round < 50; ++round) {
    Mesh mesh;
    for (int i = 0; i < 3 * 13; ++i) mesh.positions.push_back(random.uniform_float(-1, 1));
    for (int t = 0; t < 30; ++t) {
      const uint32_t a = random.bits() % 12, b = random.bits() % 12, c = random.bits() % 12;
      mesh.triangles.insert(mesh.triangles.end(), {a, b, c});
    }
    expect_triangle_normals(mesh);
  }
}

}  // namespace
}  // namespace billow::normals_test
