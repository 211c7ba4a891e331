// Connectivity of cloth meshes (neighbours, borders, connected components) and geodesic distances. Metres.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "core/vec.h"
#include "garment/garment.h"

namespace billow::garment {

inline constexpr uint32_t kNoTriangle = ~0u;

struct ClothTopology {
  // Neighbour of each triangle across its edges; edge k runs from corner k to the next. kNoTriangle at a
  // border.
  std::vector<std::array<uint32_t, 3>> across;
  // Closed boundary loops of vertices, with the cloth on their left.
  std::vector<std::vector<uint32_t>> borders;
  std::vector<uint32_t> piece;  // connected component of each triangle
  uint32_t pieces = 0;          // number of components; triangles of one share edges

  bool is_border(uint32_t triangle, size_t edge) const { return across[triangle][edge] == kNoTriangle; }
};

// `cut` is empty or has one bit per vertex: edges with both ends in it become borders. Throws
// std::invalid_argument that names the triangle or edge for invalid or repeated corners, edges of more than
// two triangles, and inconsistent winding.
ClothTopology topology_of(size_t vertices, std::span<const Triangle> triangles,
                          const std::vector<bool>& cut = {});

// Geodesic distance of each vertex to the nearest source, by fast marching (Kimmel and Sethian, "Computing
// geodesic paths on manifolds", 1998), so that paths cross faces. The front is circular from single sources
// (Novotni and Klein, "Computing geodesic distances on triangular meshes", 2002) and planar from rows of
// them. A vertex is updated again when a shorter path is found, which replaces the unfolding of obtuse
// triangles. Infinity for unreachable vertices and those farther than `reach`. Throws std::invalid_argument
// for no sources or invalid ones.
std::vector<float> geodesic_distances(std::span<const V3> positions, std::span<const Triangle> triangles,
                                      std::span<const uint32_t> sources,
                                      float reach = std::numeric_limits<float>::infinity());

}  // namespace billow::garment
