// Groups the vertices of patches into tiles of eight, in the order in which the runtime decodes them: all patches of a tile, then
// the next tile.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "learn/patches.h"
#include "net/matrix.h"

namespace billow::pack {

inline constexpr int32_t kNotInPatch = -1;

// The vertices of a tile in one patch.
struct Block {
  uint32_t patch = 0;
  std::array<int32_t, kPanelRows> index;  // of the tile's vertices in the patch, or kNotInPatch
};

struct Tile {
  std::array<uint32_t, kPanelRows> vertices;  // padded with the number of vertices of the cloth
  std::vector<Block> blocks;                  // in ascending order of patches
};

// A tile has a block for each patch of each of its vertices. Vertices with the same set of patches share tiles where there are
// eight of them; the rest is grouped greedily for few blocks a tile.
std::vector<Tile> tiles_of(const std::vector<learn::Patch>& patches, uint32_t vertices);

}  // namespace billow::pack
