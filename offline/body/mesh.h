// Triangle meshes of closed surfaces, and what can be wrong with them.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "core/vec.h"

namespace billow::body {

using Triangle = std::array<uint32_t, 3>;  // counter-clockwise seen from outside

struct Mesh {
  std::vector<V3> positions;
  std::vector<Triangle> triangles;
};

// The corners of boxes.
inline V3 least(V3 a, V3 b) { return {std::min(a.x, b.x), std::min(a.y, b.y), std::min(a.z, b.z)}; }
inline V3 most(V3 a, V3 b) { return {std::max(a.x, b.x), std::max(a.y, b.y), std::max(a.z, b.z)}; }

// Twice the area times the normal of unit length.
inline V3 area_normal(std::span<const V3> positions, const Triangle& t) {
  return cross(positions[t[1]] - positions[t[0]], positions[t[2]] - positions[t[0]]);
}

// An undirected edge with its two triangles; `right` runs from b to a.
struct Edge {
  uint32_t a, b;         // a < b
  uint32_t left, right;  // triangles; the left one runs from a to b
};
// Each edge once. Throws std::runtime_error if the mesh is not closed, not a manifold along an edge, or not
// wound consistently.
std::vector<Edge> edges_of(const Mesh& mesh);

// The triangles round each vertex: those of v are triangles[start[v]] up to triangles[start[v + 1]].
struct Fans {
  std::vector<uint32_t> start, triangles;
  std::span<const uint32_t> of(uint32_t vertex) const {
    return {triangles.data() + start[vertex], triangles.data() + start[vertex + 1]};
  }
};
Fans fans_of(const Mesh& mesh);

struct Topology {
  bool closed = false;    // each edge has two triangles that agree about the winding
  bool manifold = false;  // and each vertex one fan
  int components = 0;
  int euler = 0;             // vertices - edges + triangles: 2 for what is like a sphere
  double volume = 0;         // m3, positive when wound outward
  float smallest_angle = 0;  // radians, of all triangles
};
Topology topology_of(const Mesh& mesh);

}  // namespace billow::body
