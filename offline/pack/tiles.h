// Vertices of patches in tiles of eight, as the runtime puts them together: all patches of a tile, then the next tile.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "learn/patches.h"
#include "net/matrix.h"

namespace billow::pack {

inline constexpr int32_t kNotInPatch = -1;

// What one patch says of a tile.
struct Block {
  uint32_t patch = 0;
  std::array<int32_t, kPanelRows> place;  // of the tile's vertices among those of the patch, or kNotInPatch
};

struct Tile {
  std::array<uint32_t, kPanelRows> vertices;  // as many as there are in the cloth: none
  std::vector<Block> blocks;                  // by their patches
};

// A tile has blocks for all patches of all its vertices, so vertices of the same patches share one where there are eight of them; what is left
// over is put together so that tiles have few blocks.
std::vector<Tile> tiles_of(const std::vector<learn::Patch>& patches, uint32_t vertices);

}  // namespace billow::pack
