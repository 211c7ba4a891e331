// Triangle meshes to draw: views of the caller's arrays, and meshes of primitives.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "draw/colour.h"
#include "draw/vec.h"

namespace billow::draw {

// The caller's arrays, read during the call only. Three floats per vertex, three indices per triangle.
struct MeshView {
  std::span<const float> positions;
  std::span<const uint32_t> indices;
  std::span<const float> normals = {};   // empty: computed from the triangles
  std::span<const Colour> colours = {};  // one per vertex; empty: the material's
};

struct Mesh {
  std::vector<float> positions, normals;
  std::vector<uint32_t> indices;
  operator MeshView() const { return {positions, indices, normals, {}}; }
};

// Unit vertex normals, averaged over the adjacent triangles by area.
std::vector<float> smooth_normals(std::span<const float> positions, std::span<const uint32_t> indices);

// `sides` is the number of facets round the axis.
Mesh sphere_mesh(Vec3 centre, float radius, int sides = 32);
// The convex hull of two spheres; the larger sphere if it contains the other.
Mesh capsule_mesh(Vec3 a, Vec3 b, float radius_a, float radius_b, int sides = 32);
// Half extents along three unit axes.
Mesh ellipsoid_mesh(Vec3 centre, const Vec3 axes[3], Vec3 half_extents, int sides = 32);
Mesh box_mesh(Vec3 centre, const Vec3 axes[3], Vec3 half_extents);
// A box with edges rounded by `radius`, which is at most the smallest half extent.
Mesh rounded_box_mesh(Vec3 centre, const Vec3 axes[3], Vec3 half_extents, float radius, int sides = 32);

}  // namespace billow::draw
