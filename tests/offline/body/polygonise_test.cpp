// Meshes polygonised from SDFs are closed, lie on the surface and have well-shaped triangles.
#include "body/polygonise.h"

#include <gtest/gtest.h>

#include <cmath>

namespace billow::body::polygonise_test {
namespace {

const Skeleton kOneJoint{{{"root", kNoJoint, {}}}};

billow_collider sphere(V3 at, float radius) {
  billow_collider c = billow_collider_default();
  c.position[0] = at.x, c.position[1] = at.y, c.position[2] = at.z;
  c.radius = radius;
  return c;
}

Mesh mesh_of(const Surface& surface, float spacing) {
  return polygonise(surface, {-0.3f, -0.3f, -0.3f}, {0.4f, 0.3f, 0.3f}, spacing);
}

TEST(Polygonise, ASphereIsClosedAndWoundOutward) {
  const billow_collider ball = sphere({0, 0, 0}, 0.2f);
  const Mesh mesh = mesh_of(Surface(kOneJoint, {&ball, 1}), 0.02f);
  const Topology t = topology_of(mesh);
  EXPECT_TRUE(t.closed);
  EXPECT_TRUE(t.manifold);
  EXPECT_EQ(t.components, 1);
  EXPECT_EQ(t.euler, 2);
  EXPECT_NEAR(t.volume, 4.0 / 3 * 3.14159265 * 0.008, 0.0008);
}

TEST(Polygonise, ComponentsAndGenusAreFound) {
  const billow_collider apart[] = {sphere({-0.15f, 0, 0}, 0.1f), sphere({0.15f, 0, 0}, 0.1f)};
  EXPECT_EQ(topology_of(mesh_of(Surface(kOneJoint, apart), 0.02f)).components, 2);
  std::vector<billow_collider> ring;
  for (int k = 0; k < 12; ++k) {
    const float angle = 0.5235988f * static_cast<float>(k);
    ring.push_back(sphere({0.2f * std::cos(angle), 0.2f * std::sin(angle), 0}, 0.07f));
  }
  const Topology t = topology_of(mesh_of(Surface(kOneJoint, ring), 0.02f));
  EXPECT_TRUE(t.manifold);
  EXPECT_EQ(t.euler, 0);
}

TEST(Polygonise, GridPointsOnTheSurfaceAreHandled) {
  // The poles of the sphere are grid points.
  const billow_collider ball = sphere({0, 0, 0}, 0.2f);
  const Mesh mesh =
      polygonise(Surface(kOneJoint, {&ball, 1}), {-0.3f, -0.3f, -0.3f}, {0.3f, 0.3f, 0.3f}, 0.1f);
  const Topology t = topology_of(mesh);
  EXPECT_TRUE(t.manifold);
  EXPECT_EQ(t.euler, 2);
  EXPECT_GT(t.smallest_angle, 0);
}

TEST(Polygonise, RemeshingMakesGoodTrianglesOnTheSurface) {
  // Two blended spheres of different sizes.
  billow_collider parts[] = {sphere({-0.05f, 0, 0}, 0.15f), sphere({0.18f, 0, 0}, 0.08f)};
  parts[1].blend_with = 0;
  parts[1].blend_radius = 0.05f;
  const Surface surface(kOneJoint, parts);
  Mesh mesh = mesh_of(surface, 0.02f);
  RemeshOptions options;
  options.vertices = 1200;
  remesh(mesh, surface, options);
  const Topology t = topology_of(mesh);
  EXPECT_TRUE(t.manifold);
  EXPECT_EQ(t.euler, 2);
  EXPECT_GT(t.volume, 0.01);
  EXPECT_GT(t.smallest_angle, 0.35f);  // 20 degrees
  EXPECT_NEAR(static_cast<double>(mesh.positions.size()), 1200, 200);
  for (const V3& p : mesh.positions) EXPECT_NEAR(surface.at(p).distance, 0, 1e-5f);
}

TEST(Polygonise, OpenAndNonManifoldMeshesAreDetected) {
  Mesh tetrahedron{{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
                   {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}}};
  EXPECT_TRUE(topology_of(tetrahedron).manifold);
  EXPECT_NEAR(topology_of(tetrahedron).volume, 1.0 / 6, 1e-6);
  Mesh open = tetrahedron;
  open.triangles.pop_back();
  EXPECT_FALSE(topology_of(open).closed);
  EXPECT_THROW(edges_of(open), std::runtime_error);
  Mesh flipped = tetrahedron;
  std::swap(flipped.triangles[0][0], flipped.triangles[0][1]);
  EXPECT_FALSE(topology_of(flipped).closed);
  // Two tetrahedra that share only a vertex.
  Mesh touching = tetrahedron;
  for (const V3& p : {V3{-1, 0, 0}, V3{0, -1, 0}, V3{0, 0, -1}}) touching.positions.push_back(p);
  for (const Triangle& t : {Triangle{0, 4, 5}, Triangle{0, 6, 4}, Triangle{0, 5, 6}, Triangle{4, 6, 5}})
    touching.triangles.push_back(t);
  EXPECT_TRUE(topology_of(touching).closed);
  EXPECT_FALSE(topology_of(touching).manifold);
}

}  // namespace
}  // namespace billow::body::polygonise_test
