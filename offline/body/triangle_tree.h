// Nearest points of a triangle mesh, and whether a ray meets it. The mesh may be open, in several pieces and
// wound either way.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "body/mesh.h"

namespace billow::body {

// The nearest point of a triangle (Ericson, "Real-Time Collision Detection", 5.1.5).
V3 nearest_on_triangle(V3 p, V3 a, V3 b, V3 c);

class TriangleTree {
 public:
  TriangleTree() = default;
  // Keeps copies. Triangles without area are left out.
  TriangleTree(std::span<const V3> positions, std::span<const Triangle> triangles);

  struct Nearest {
    V3 point{0, 0, 0};
    float distance = 1e30f;  // as it is where there are no triangles
    uint32_t triangle = 0;   // its number among those given
  };
  Nearest nearest(V3 point) const;
  // Whether a ray meets a triangle farther than `from` from its origin (in lengths of `direction`).
  bool meets(V3 origin, V3 direction, float from) const;

 private:
  struct Node {
    V3 low, high;
    uint32_t first, count;  // triangles of a leaf, or count 0 and the first of two children
  };
  void build(uint32_t node, uint32_t first, uint32_t count, const std::vector<V3>& centres);
  std::array<V3, 3> corners(uint32_t i) const;

  std::vector<V3> positions_;
  std::vector<Triangle> triangles_;
  std::vector<uint32_t> order_;
  std::vector<Node> nodes_;
};

}  // namespace billow::body
