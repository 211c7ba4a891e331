// The triangles and neighbours around a vertex.
#pragma once

#include <algorithm>

#include "decode/normals.h"

namespace billow {

// The edges opposite a vertex, two corners each, in the order of the triangles; none where there are too many to be cloth.
struct Around {
  const uint32_t* edges;
  uint32_t count;
};
// `scratch` is that of find_normal_polygons.
inline Around around(const NormalScratch& scratch, uint32_t vertex) {
  constexpr uint32_t kMaxAround = 64;
  const uint32_t count = scratch.first[vertex + 1] - scratch.first[vertex];
  return {scratch.corners + 2 * size_t{scratch.first[vertex]}, count <= kMaxAround ? count : 0};
}

// Calls `take` with the index in `edges` of each neighbour's first occurrence.
template <class Take> void for_each_neighbour(const Around& a, Take take) {
  for (uint32_t i = 0; i < 2 * a.count; ++i)
    if (std::find(a.edges, a.edges + i, a.edges[i]) == a.edges + i) take(i);
}

}  // namespace billow
