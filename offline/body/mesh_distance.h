// Exact signed distance to a closed mesh, which may pass through itself: the reference that colliders are
// measured against.
#pragma once

#include <cstdint>
#include <vector>

#include "body/mesh.h"
#include "body/triangle_tree.h"

namespace billow::body {

class MeshDistance {
 public:
  // Keeps copies. Parts of the surface that lie inside another part of the body, such as a crease folded in
  // on itself, are no part of its outside: they are left out.
  explicit MeshDistance(const Mesh& mesh);

  // Negative inside.
  float at(V3 point) const;
  // How many times the surface goes round a point: 0 outside, 1 inside, 2 where two parts overlap.
  int winding(V3 point) const;
  // Triangles that belong to the outside.
  const std::vector<uint32_t>& outside() const { return outside_; }
  const Mesh& mesh() const { return mesh_; }

 private:
  void build_columns();
  void find_outside();

  Mesh mesh_;
  std::vector<uint32_t> outside_;
  TriangleTree tree_;  // of the outside
  // Triangles by the columns along z that they lie in.
  V3 low_{0, 0, 0}, high_{0, 0, 0};
  int columns_x_ = 0, columns_y_ = 0;
  std::vector<std::vector<uint32_t>> columns_;
};

}  // namespace billow::body
