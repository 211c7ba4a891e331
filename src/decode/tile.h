// How vertices of patches are stored: in tiles of eight, each with a block for every patch that one of them belongs to.
#pragma once

#include <cstdint>

#include "net/matrix.h"

namespace billow {

// As many vertices as the cloth has stand for none.
struct TileRecord {
  uint32_t vertices[kPanelRows];
  uint32_t first_block, blocks;
};

// Columns of a patch's basis behind its components: the vertex' share, and three coordinates of its mean.
inline constexpr uint32_t kRigidColumns = 4;

}  // namespace billow
