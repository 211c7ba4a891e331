// Storage of the vertices of patches: tiles of eight vertices, each with a block for every patch that one of
// them belongs to.
#pragma once

#include <cstdint>

#include "net/matrix.h"

namespace billow {

// Unused entries of `vertices` hold the vertex count of the cloth.
struct TileRecord {
  uint32_t vertices[kPanelRows];
  uint32_t first_block, blocks;
};

// Columns of a patch's basis after its components: the vertex's weight in the patch, and the three
// coordinates of its mean.
inline constexpr uint32_t kRigidColumns = 4;

}  // namespace billow
