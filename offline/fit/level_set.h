// Level sets on regular lattices, by OpenVDB. Built without it, the functions throw std::runtime_error that says
// so.
#pragma once

#include <array>
#include <vector>

#include "body/mesh.h"

namespace billow::fit {

// Values at the points of a regular lattice; x runs fastest, then y, then z. Metres.
struct Lattice {
  V3 low{0, 0, 0};
  float spacing = 0;
  std::array<int, 3> size{};
  std::vector<float> values;

  size_t count() const {
    return static_cast<size_t>(size[0]) * static_cast<size_t>(size[1]) * static_cast<size_t>(size[2]);
  }
  size_t index(int i, int j, int k) const {
    return static_cast<size_t>(i) +
           static_cast<size_t>(size[0]) *
               (static_cast<size_t>(j) + static_cast<size_t>(size[1]) * static_cast<size_t>(k));
  }
  V3 point(int i, int j, int k) const {
    return low + V3{static_cast<float>(i), static_cast<float>(j), static_cast<float>(k)} * spacing;
  }
};
// One that holds the box from `low` to `high`, in its middle. Its values are 0. Each size is one more than a
// multiple of `step`.
Lattice make_lattice(V3 low, V3 high, float spacing, int step = 1);

// Whether OpenVDB is there.
bool have_level_sets();

// The surface between the negative and the positive values, wound with its outside to the positive ones. Closed
// if the outermost values are positive.
body::Mesh zero_set(const Lattice& lattice);

// Fills a lattice with the signed distance to a closed mesh, negative inside: exact within one cell of it, a little
// too large within three, and three cells' width beyond.
inline constexpr float kLevelSetBand = 3;  // cells
void fill_with_distances(Lattice& lattice, const body::Mesh& mesh);

}  // namespace billow::fit
