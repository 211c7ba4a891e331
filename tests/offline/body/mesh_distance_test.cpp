// The exact mesh distance against brute force over all triangles.
#include "body/mesh_distance.h"

#include <gtest/gtest.h>

#include <cmath>

#include "body/polygonise.h"
#include "support/random.h"

namespace billow::body::mesh_distance_test {
namespace {

const Skeleton kOneJoint{{{"root", kNoJoint, {}}}};

Mesh ball(V3 centre, float radius) {
  billow_collider c = billow_collider_default();
  c.radius = radius;
  const float r = radius + 0.05f;
  Mesh mesh = polygonise(Surface(kOneJoint, {&c, 1}), {-r, -r, -r}, {r, r, r}, 0.03f);
  project(mesh.positions, Surface(kOneJoint, {&c, 1}));
  for (V3& p : mesh.positions) p += centre;
  return mesh;
}

Mesh joined(const Mesh& a, const Mesh& b) {
  Mesh out = a;
  const uint32_t shift = static_cast<uint32_t>(a.positions.size());
  out.positions.insert(out.positions.end(), b.positions.begin(), b.positions.end());
  for (const Triangle& t : b.triangles) out.triangles.push_back({t[0] + shift, t[1] + shift, t[2] + shift});
  return out;
}

V3 random_point(testing::Random& random) {
  return {random.uniform_float(-0.5, 0.5), random.uniform_float(-0.5, 0.5), random.uniform_float(-0.5, 0.5)};
}

TEST(MeshDistance, MatchesBruteForce) {
  const Mesh mesh = ball({0.02f, -0.01f, 0.03f}, 0.2f);
  const MeshDistance distance(mesh);
  EXPECT_EQ(distance.outside().size(), mesh.triangles.size());
  testing::Random random(5);
  for (int i = 0; i < 300; ++i) {
    const V3 p = random_point(random);
    float best = 1e30f;
    for (const Triangle& t : mesh.triangles)
      best = std::min(best, length(p - nearest_on_triangle(p, mesh.positions[t[0]], mesh.positions[t[1]],
                                                           mesh.positions[t[2]])));
    const bool inside = length(p - V3{0.02f, -0.01f, 0.03f}) < 0.2f;
    EXPECT_NEAR(std::fabs(distance.at(p)), best, 1e-6f);
    // Facets lie up to 1 mm inside the sphere.
    if (best > 0.001f) {
      EXPECT_EQ(distance.at(p) < 0, inside);
    }
  }
}

TEST(MeshDistance, IgnoresSurfaceInsideAnotherPart) {
  const V3 a{-0.08f, 0, 0}, b{0.08f, 0, 0};
  const MeshDistance distance(joined(ball(a, 0.2f), ball(b, 0.2f)));
  EXPECT_EQ(distance.winding({0, 0, 0}), 2);
  EXPECT_EQ(distance.winding({-0.2f, 0, 0}), 1);
  EXPECT_EQ(distance.winding({0, 0, 0.3f}), 0);
  EXPECT_LT(distance.outside().size(), distance.mesh().triangles.size());
  // The nearest outer surface to the centre is the circle where the two spheres intersect.
  EXPECT_NEAR(distance.at({0, 0, 0}), -std::sqrt(0.04f - 0.0064f), 0.01f);
  testing::Random random(6);
  for (int i = 0; i < 300; ++i) {
    const V3 p = random_point(random);
    const float exact = std::min(length(p - a), length(p - b)) - 0.2f;
    if (exact > 0.001f) {
      EXPECT_NEAR(distance.at(p), exact, 0.004f);
    }
    if (exact < -0.001f) {
      EXPECT_LT(distance.at(p), 0);
    }
  }
}

TEST(MeshDistance, NearestPointsOfATriangle) {
  const V3 a{0, 0, 0}, b{1, 0, 0}, c{0, 1, 0};
  const struct {
    V3 p, nearest;
  } cases[] = {{{0.2f, 0.2f, 1}, {0.2f, 0.2f, 0}},
               {{-1, -1, 0}, a},
               {{2, -0.5f, 0}, b},
               {{-0.5f, 2, 0}, c},
               {{0.5f, -1, 0}, {0.5f, 0, 0}},
               {{-1, 0.5f, 0}, {0, 0.5f, 0}},
               {{1, 1, 0}, {0.5f, 0.5f, 0}}};
  for (const auto& k : cases) EXPECT_LT(length(nearest_on_triangle(k.p, a, b, c) - k.nearest), 1e-6f);
}

}  // namespace
}  // namespace billow::body::mesh_distance_test
