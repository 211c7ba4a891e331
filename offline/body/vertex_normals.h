// Normals of a surface at its vertices.
#pragma once

#include "body/mesh.h"

namespace billow::body {

// Up where there is no direction.
inline V3 unit(V3 v) {
  const float l = length(v);
  return l > 0 ? v * (1 / l) : V3{0, 1, 0};
}

// By the areas of the triangles around each vertex.
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
