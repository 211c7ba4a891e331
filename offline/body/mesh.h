// Triangle meshes: edges, vertex fans, normals and topology checks.
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

// Component-wise minimum and maximum, for bounding boxes.
inline V3 component_min(V3 a, V3 b) { return {std::min(a.x, b.x), std::min(a.y, b.y), std::min(a.z, b.z)}; }
inline V3 component_max(V3 a, V3 b) { return {std::max(a.x, b.x), std::max(a.y, b.y), std::max(a.z, b.z)}; }

// Unit normal times twice the area.
inline V3 area_normal(std::span<const V3> positions, const Triangle& t) {
  return cross(positions[t[1]] - positions[t[0]], positions[t[2]] - positions[t[0]]);
}

// An undirected edge of a closed mesh.
struct Edge {
  uint32_t a, b;         // vertices, a < b
  uint32_t left, right;  // triangles: `left` contains the half-edge a to b, `right` b to a
};
// All edges, each once. Throws std::runtime_error if the mesh is not closed, not manifold along an edge, or
// not wound consistently.
std::vector<Edge> edges_of(const Mesh& mesh);

// The triangles incident to each vertex, in compressed rows: those of v are triangles[start[v]] up to
// triangles[start[v + 1]].
struct Fans {
  std::vector<uint32_t> start, triangles;
  std::span<const uint32_t> of(uint32_t vertex) const {
    return {triangles.data() + start[vertex], triangles.data() + start[vertex + 1]};
  }
};
Fans fans_of(const Mesh& mesh);

struct Topology {
  bool closed = false;    // each edge has two triangles with consistent winding
  bool manifold = false;  // closed, and each vertex has a single fan
  int components = 0;
  int euler = 0;             // Euler characteristic: vertices - edges + triangles, 2 for a sphere
  double volume = 0;         // m3, positive if wound outward
  float smallest_angle = 0;  // radians, over all triangles
};
Topology topology_of(const Mesh& mesh);

// v / |v|, or +y for a zero vector.
inline V3 unit(V3 v) {
  const float l = length(v);
  return l > 0 ? v * (1 / l) : V3{0, 1, 0};
}

// Area-weighted vertex normals of unit length.
inline std::vector<V3> vertex_normals(std::span<const V3> positions, std::span<const Triangle> triangles) {
  std::vector<V3> normals(positions.size(), V3{0, 0, 0});
  for (const Triangle& t : triangles) {
    const V3 n = area_normal(positions, t);
    for (const uint32_t v : t) normals[v] += n;
  }
  for (V3& n : normals) n = unit(n);
  return normals;
}

}  // namespace billow::body
