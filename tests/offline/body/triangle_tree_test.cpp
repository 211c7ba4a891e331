// TriangleTree: nearest points against brute force, ray tests, degenerate input.
#include <gtest/gtest.h>

#include <random>

#include "body/mesh_distance.h"
#include "support/meshes.h"

namespace billow::body {
namespace {

V3 random_point_in_cube(std::mt19937& engine) {
  const auto one = [&] { return static_cast<float>(static_cast<double>(engine()) / 2147483648.0 - 1); };
  const float x = one(), y = one();
  return {x, y, one()};
}

TEST(TriangleTree, FindsTheNearestOfAllTriangles) {
  const Mesh mesh = billow::testing::ellipsoid_mesh({0.6f, 0.4f, 0.2f}, 12, 17);
  const TriangleTree tree(mesh.positions, mesh.triangles);
  std::mt19937 engine(1);
  for (int i = 0; i < 300; ++i) {
    const V3 p = random_point_in_cube(engine);
    float best = 1e30f;
    for (const Triangle& t : mesh.triangles)
      best = std::min(best, length(p - nearest_on_triangle(p, mesh.positions[t[0]], mesh.positions[t[1]],
                                                           mesh.positions[t[2]])));
    const TriangleTree::Nearest found = tree.nearest(p);
    EXPECT_FLOAT_EQ(found.distance, best);
    EXPECT_FLOAT_EQ(length(found.point - p), best);
  }
}

TEST(TriangleTree, RaysMeetAClosedSurfaceFromInsideOnly) {
  const Mesh mesh = billow::testing::ellipsoid_mesh({0.6f, 0.4f, 0.2f}, 12, 17);
  const TriangleTree tree(mesh.positions, mesh.triangles);
  std::mt19937 engine(2);
  for (int i = 0; i < 300; ++i) {
    const V3 d = random_point_in_cube(engine);
    EXPECT_TRUE(tree.hit_by_ray(random_point_in_cube(engine) * 0.05f, d, 0));
    EXPECT_FALSE(tree.hit_by_ray(d * (2 / length(d)), d, 0)) << "away from it";
    EXPECT_TRUE(tree.hit_by_ray(d * (2 / length(d)), -d, 0)) << "towards its centre";
    EXPECT_FALSE(tree.hit_by_ray({0, 0, 0}, d, 1 / length(d))) << "hit before `from`";
  }
  EXPECT_TRUE(tree.hit_by_ray({-2, 0, 0}, {1, 0, 0}, 0)) << "along an axis";
}

TEST(TriangleTree, HandlesEmptyAndDegenerateInput) {
  const TriangleTree none({}, {});
  EXPECT_EQ(none.nearest({0, 0, 0}).distance, 1e30f);
  EXPECT_FALSE(none.hit_by_ray({0, 0, 0}, {1, 0, 0}, 0));
  // Triangles of zero area are skipped; coincident triangles are kept.
  const std::vector<V3> points{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 0}};
  const std::vector<Triangle> degenerate{{0, 1, 3}};
  EXPECT_EQ(TriangleTree(points, degenerate).nearest({0, 0, 1}).distance, 1e30f);
  const std::vector<Triangle> same(100, {0, 1, 2});
  EXPECT_FLOAT_EQ(TriangleTree(points, same).nearest({0.2f, 0.2f, 1}).distance, 1);
}

}  // namespace
}  // namespace billow::body
