// Flat patterns: the cloth as it is cut, meshed evenly. Metres.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace billow::garment {

using Triangle = std::array<uint32_t, 3>;  // counter-clockwise on the right side of the cloth

// A sector of a ring, in rows from the inner edge (neckline, waist) to the outer one (hem). Vertices are numbered
// row by row. A closed one has its two straight edges attached together; its angle may be more than a full turn then,
// as in a double-circle skirt, so that the pattern as a whole may overlap itself and only its parts are flat.
struct RingPattern {
  float inner = 0, outer = 0;  // radii
  float angle = 0;             // radians
  bool closed = false;
  std::vector<uint32_t> row_start;             // of each row, and the number of vertices at the end
  std::vector<std::array<float, 2>> vertices;  // radius, and share 0..1 of the angle
  std::vector<Triangle> triangles;

  size_t rows() const { return row_start.size() - 1; }
  // The length of a straight line on the cloth. For vertices that are near each other.
  float distance(uint32_t a, uint32_t b) const;
  // The same for any two places.
  float distance(std::array<float, 2> a, std::array<float, 2> b) const;
};

// As many vertices as asked for, to the one; triangles nearly equilateral. Throws std::invalid_argument for sizes
// that make no ring.
RingPattern make_ring_pattern(float inner, float outer, float angle, bool closed, size_t vertices);

}  // namespace billow::garment
