// The free part of a garment, its seam and hem, and the coordinate along the seam that chains follow.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "garment/cloth_mesh.h"
#include "garment/garment.h"

namespace billow::garment {

struct FreeCloth {
  // Triangles with a free vertex, of the largest connected component that is attached.
  std::vector<Triangle> triangles;
  ClothTopology topology;  // of these triangles
  // Polylines of border vertices, with the cloth on their left. A closed seam or hem does not repeat its
  // first vertex. Of an open seam, side_after runs from its end to the hem and side_before from the hem to
  // its start, both inclusive.
  std::vector<uint32_t> seam, hem, side_after, side_before;
  bool closed = false;
  std::vector<float> distance;     // geodesic distance of all vertices to the seam
  std::vector<std::string> notes;  // warnings for the user
};

// The seam is the attached part of a border of the free cloth, small gaps included. The hem is the part of
// the border across which the distance to the seam increases. Throws std::invalid_argument if nothing is
// attached, a component is not attached, or there is not exactly one hem.
FreeCloth find_free_cloth(const Garment& garment);

// Gradient of the linear function with the given values at the corners of a triangle.
V3 gradient(V3 a, V3 b, V3 c, float at_a, float at_b, float at_c);

// A coordinate at each triangle corner of the free cloth, whose level lines are the chains; so chains cannot
// cross. It is the fraction of arc length along the seam, 0 to 1, and also along the hem, so that chains are
// evenly spread at both. Between, its level lines follow the gradient of the distance to the seam as closely
// as possible. On a closed garment it is periodic: corners of one triangle are consistent, neighbouring
// triangles may differ by an integer.
std::vector<std::array<double, 3>> coordinate_along(const Garment& garment, const FreeCloth& cloth);

// Fraction of arc length of each vertex of a polyline. A closed one also has an edge from the last to the
// first vertex.
std::vector<double> shares_along(const Garment& garment, const std::vector<uint32_t>& line, bool closed);

}  // namespace billow::garment
