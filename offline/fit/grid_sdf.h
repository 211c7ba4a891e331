// Signed distances of closed meshes on regular lattices, by OpenVDB, and the runtime's grids (sdf/grid.h)
// made from them. Metres. Without OpenVDB the functions that need it throw std::runtime_error.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "body/mesh.h"

namespace billow::fit {

// Values at the points of a regular lattice; x is contiguous, then y, then z.
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
// A lattice of zeros that contains the box from `low` to `high` at its centre. Each size is one more than a
// multiple of `step`.
Lattice make_lattice(V3 low, V3 high, float spacing, int step = 1);

// Whether OpenVDB is available.
bool have_level_sets();

// The zero level set, oriented towards positive values. Closed if all values on the boundary are positive.
// Needs OpenVDB.
body::Mesh zero_set(const Lattice& lattice);

// Fills a lattice with the signed distance to a closed mesh, negative inside. Exact within one cell of the
// surface, slightly too large within three, and clamped to three cells beyond. Needs OpenVDB.
inline constexpr float kLevelSetBand = 3;  // cells
void fill_with_distances(Lattice& lattice, const body::Mesh& mesh);

// A grid for the runtime, in the frame of its mesh. It is dense because body parts are thin: sparse blocks of
// 4^3 cells near the surface, with their borders, would hold as many values.
struct GridSdf {
  std::vector<int16_t> values;  // as in billow_sdf_grid
  std::array<uint32_t, 3> size{};
  float spacing = 0, unit = 0;
};

struct GridOptions {
  float spacing = 0.01f;
  float margin = 0.02f;  // m, of the grid around the surface
};

// Needs OpenVDB. Throws std::invalid_argument for a mesh that is not closed, or a grid of more than 1024
// points per side.
GridSdf make_grid(const body::Mesh& mesh, const GridOptions& options = {});

}  // namespace billow::fit
