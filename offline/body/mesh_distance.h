// Exact distances to triangle meshes: a bounding volume hierarchy, and the signed distance of a closed mesh.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "body/mesh.h"

namespace billow::body {

// Nearest point of a triangle (Ericson, "Real-Time Collision Detection", 5.1.5).
V3 nearest_on_triangle(V3 p, V3 a, V3 b, V3 c);

// Bounding volume hierarchy over triangles: nearest points and ray tests. The mesh may be open, disconnected
// and wound either way.
class TriangleTree {
 public:
  TriangleTree() = default;
  // Copies the mesh and skips triangles of zero area.
  TriangleTree(std::span<const V3> positions, std::span<const Triangle> triangles);

  struct Nearest {
    V3 point{0, 0, 0};
    float distance = 1e30f;  // unchanged if there are no triangles, or none nearer than asked for
    uint32_t triangle = 0;   // index into the triangles given
  };
  // With `within`, only triangles nearer than that are sought, which is faster.
  Nearest nearest(V3 point, float within = 1e30f) const;
  // Whether a ray hits a triangle at a parameter greater than `from`, in lengths of `direction`.
  bool hit_by_ray(V3 origin, V3 direction, float from) const;

 private:
  struct Node {
    V3 low, high;
    uint32_t first,
        count;  // leaf: a range of order_. Inner node: count is 0, children are first and first + 1
  };
  void build(uint32_t node, uint32_t first, uint32_t count, const std::vector<V3>& centres);
  std::array<V3, 3> corners(uint32_t i) const;

  std::vector<V3> positions_;
  std::vector<Triangle> triangles_;
  std::vector<uint32_t> order_;            // triangles, sorted into leaves
  std::vector<std::array<V3, 3>> leaves_;  // their corners, in that order
  std::vector<Node> nodes_;
};

// Exact signed distance to a closed mesh that may intersect itself: the reference for fitted colliders.
class MeshDistance {
 public:
  // Copies the mesh. Triangles inside another part of the body, such as a self-intersecting crease, do not
  // count as surface.
  explicit MeshDistance(const Mesh& mesh);

  // Signed distance, negative inside; 1e30 if the surface is not nearer than `within`.
  float at(V3 point, float within = 1e30f) const;
  // Winding number: 0 outside, 1 inside, 2 where two parts overlap.
  int winding(V3 point) const;
  // Triangles of the outer surface.
  const std::vector<uint32_t>& outside() const { return outside_; }
  const Mesh& mesh() const { return mesh_; }

 private:
  void build_columns();
  void find_outside();

  Mesh mesh_;
  std::vector<uint32_t> outside_;
  TriangleTree tree_;  // of the outer surface
  // Uniform grid of columns along z, each with the triangles that overlap it, for ray casts along +z.
  V3 low_{0, 0, 0}, high_{0, 0, 0};
  int column_count_x_ = 0, column_count_y_ = 0;
  std::vector<std::vector<uint32_t>> columns_;
};

}  // namespace billow::body
