// The part of a garment that hangs free, the seam it hangs from and the hem it ends in.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "garment/garment.h"
#include "garment/topology.h"

namespace billow::garment {

struct FreeCloth {
  // Triangles with a vertex that is not attached, of the largest piece that hangs from attached ones.
  std::vector<Triangle> triangles;
  ClothTopology topology;  // of these
  // Lines of vertices along the border, the cloth on their left. A closed seam ends where it begins, but the vertex is
  // there once; so does its hem. The sides of an open seam run from its end to the hem and from the hem to its begin, both
  // ends included.
  std::vector<uint32_t> seam, hem, side_after, side_before;
  bool closed = false;
  std::vector<float> distance;     // of all vertices from the seam, along the free cloth
  std::vector<std::string> notes;  // what has no chains, in sentences
};

// The seam is the line along a border of the free cloth that is attached, small gaps included; the hem is the part of
// the border where the distance from the seam grows outward. Throws std::invalid_argument where nothing is attached, a
// piece hangs from nothing, or there is no one hem.
FreeCloth find_free_cloth(const Garment& garment);

// The gradient of a function over a triangle.
V3 gradient(V3 a, V3 b, V3 c, float at_a, float at_b, float at_c);

}  // namespace billow::garment
