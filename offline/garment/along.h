// A coordinate along the seam, carried down to the hem: chains are its level lines, so that they cannot cross.
#pragma once

#include <array>
#include <vector>

#include "garment/garment.h"
#include "garment/seam.h"

namespace billow::garment {

// At each corner of the triangles of the free cloth: 0 where the seam begins and 1 where it ends, in shares of its
// length, and the same along the hem, so that level lines are evenly spread at both. In between they follow the
// gradient of the distance from the seam as far as that lets them. Round a closed garment the coordinate goes on
// growing: corners of a triangle agree with each other, those of neighbours may differ by a whole number.
std::vector<std::array<double, 3>> coordinate_along(const Garment& garment, const FreeCloth& cloth);

// Where the vertices of a line of a border are, in shares of its length. A closed one has its last edge beyond the
// last vertex.
std::vector<double> shares_along(const Garment& garment, const std::vector<uint32_t>& line, bool closed);

}  // namespace billow::garment
