// The runtime's grids (sdf/grid.h) of closed meshes, by OpenVDB. Metres.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "body/mesh.h"

namespace billow::fit {

// A grid, in the frame of its mesh. Dense, because parts of a body are thin: blocks of 4^3 cells near the surface
// with the rim they need for themselves would hold as many values.
struct GridSdf {
  std::vector<int16_t> values;  // as billow_sdf_grid has them
  std::array<uint32_t, 3> size{};
  float spacing = 0, unit = 0;
};

struct GridOptions {
  float spacing = 0.01f;
  float margin = 0.02f;  // m, how far the grid reaches beyond the surface
};

// Needs OpenVDB (fit/level_set.h). Throws std::invalid_argument for a mesh that is not closed, or a grid of more
// than 1024 points a side.
GridSdf make_grid(const body::Mesh& mesh, const GridOptions& options = {});

}  // namespace billow::fit
