#include "sdf/grid.h"

#include <algorithm>

#include "sdf/beyond_box.h"

namespace billow {
namespace {

// The cell that contains a coordinate in units of the spacing.
int cell_of(float coordinate, int size) { return std::min(static_cast<int>(coordinate), size - 2); }

// The values at the corners of each lane's cell: corner[4 z + 2 y + x].
template <AnyLanes F> struct Cells {
  F corner[8];
  Vec3<F> within;  // position in the cell, 0 to 1
};

template <AnyLanes F> Cells<F> find_cells(const Grid& g, Vec3<F> at) {
  constexpr int kCount = kLanesOf<F>;
  float x[kCount], y[kCount], z[kCount], cx[kCount], cy[kCount], cz[kCount], values[8][kCount];
  store(x, at.x), store(y, at.y), store(z, at.z);
  const ptrdiff_t row = g.size[0], layer = row * g.size[1];
  for (int k = 0; k < kCount; ++k) {
    const int i = cell_of(x[k], g.size[0]), j = cell_of(y[k], g.size[1]), l = cell_of(z[k], g.size[2]);
    const int16_t *v00 = g.values + i + row * j + layer * l, *v10 = v00 + row, *v01 = v00 + layer,
                  *v11 = v01 + row;
    values[0][k] = v00[0], values[1][k] = v00[1], values[2][k] = v10[0], values[3][k] = v10[1];
    values[4][k] = v01[0], values[5][k] = v01[1], values[6][k] = v11[0], values[7][k] = v11[1];
    cx[k] = static_cast<float>(i), cy[k] = static_cast<float>(j), cz[k] = static_cast<float>(l);
  }
  Cells<F> cells{{}, {at.x - load_as<F>(cx), at.y - load_as<F>(cy), at.z - load_as<F>(cz)}};
  for (int c = 0; c < 8; ++c) cells.corner[c] = load_as<F>(values[c]);
  return cells;
}

template <AnyLanes F> F mix(F a, F b, F t) { return a + (b - a) * t; }

}  // namespace

template <AnyLanes F> Distance<F> grid_distance(const Grid& g, Vec3<F> p) {
  const Vec3<F> inside = clamp_to_box(p, g.half);
  const float per_metre = 1.0f / g.spacing;
  const auto [c, t] = find_cells(g, (inside + lanes<F>(g.half)) * per_metre);
  // Interpolate along x, then y, then z, and the differences for the gradient likewise.
  F x00 = mix(c[0], c[1], t.x), x10 = mix(c[2], c[3], t.x);
  F x01 = mix(c[4], c[5], t.x), x11 = mix(c[6], c[7], t.x);
  F y0 = mix(x00, x10, t.y), y1 = mix(x01, x11, t.y);
  F along_x = mix(mix(c[1] - c[0], c[3] - c[2], t.y), mix(c[5] - c[4], c[7] - c[6], t.y), t.z);
  F along_y = mix(x10 - x00, x11 - x01, t.z);
  const Distance<F> edge{mix(y0, y1, t.z) * g.unit,
                         Vec3<F>{along_x, along_y, y1 - y0} * (g.unit * per_metre)};
  return beyond_box(edge, p - inside);
}
template Distance<F4> grid_distance(const Grid& grid, Vec3<F4> p);
template Distance<F8> grid_distance(const Grid& grid, Vec3<F8> p);

V3 extent_of(const Grid& g) {
  V3 extent{0, 0, 0};
  const int16_t* value = g.values;
  for (int k = 0; k < g.size[2]; ++k)
    for (int j = 0; j < g.size[1]; ++j)
      for (int i = 0; i < g.size[0]; ++i) {
        if (*value++ > 0) continue;
        // The surface is at most one cell farther out.
        const auto reach = [&](int at, float half) {
          return std::fabs(static_cast<float>(at) * g.spacing - half) + g.spacing;
        };
        extent = {std::max(extent.x, reach(i, g.half.x)), std::max(extent.y, reach(j, g.half.y)),
                  std::max(extent.z, reach(k, g.half.z))};
      }
  return extent;
}

}  // namespace billow
