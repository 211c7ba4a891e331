// A signed distance sampled at the points of a regular grid and interpolated between them.
#pragma once

#include <cstdint>

#include "sdf/shapes.h"

namespace billow {

// In the collider's frame, whose origin is the grid's middle. Metres.
struct Grid {
  const int16_t* values = nullptr;  // in multiples of `unit`; x varies fastest, then y, then z
  int size[3] = {0, 0, 0};          // points along x, y and z, at least 2
  V3 half{0, 0, 0};                 // from the middle to the outermost points
  float spacing = 0;
  float unit = 0;
};

// The trilinear interpolant and its gradient, which need not have unit length. Extrapolated outside the grid
// (beyond_box.h).
template <AnyLanes F> Distance<F> grid_distance(const Grid& grid, Vec3<F> p);
extern template Distance<F4> grid_distance(const Grid& grid, Vec3<F4> p);
extern template Distance<F8> grid_distance(const Grid& grid, Vec3<F8> p);

// Half-extents of a box about the middle that contains everything inside the surface. Zero if nothing is.
V3 extent_of(const Grid& grid);

}  // namespace billow
