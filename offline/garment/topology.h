// How the triangles of a cloth hang together: neighbours across edges, borders and loose pieces.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "garment/pattern.h"

namespace billow::garment {

inline constexpr uint32_t kNoTriangle = ~0u;

struct ClothTopology {
  // Of each triangle across its edges; edge k runs from corner k to the next. kNoTriangle at a border.
  std::vector<std::array<uint32_t, 3>> across;
  // Closed lines of vertices, with the cloth on the left of each.
  std::vector<std::vector<uint32_t>> borders;
  std::vector<uint32_t> piece;  // of each triangle
  uint32_t pieces = 0;          // triangles are of one piece if they share edges

  bool is_border(uint32_t triangle, size_t edge) const { return across[triangle][edge] == kNoTriangle; }
};

// Throws std::invalid_argument that names the triangle or the edge: a corner that is no vertex or is there twice, an
// edge of three triangles, neighbours that are wound unlike. `cut`, one bit a vertex or empty: the cloth is cut open along
// edges with both ends in it.
ClothTopology topology_of(size_t vertices, std::span<const Triangle> triangles,
                          const std::vector<bool>& cut = {});

}  // namespace billow::garment
