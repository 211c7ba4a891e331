// From coefficients of patches to the vertices of the cloth: each vertex is the mean of what its patches say, by their shares.
#pragma once

#include "core/vec.h"
#include "decode/tile.h"

namespace billow {

// What one patch says in one frame: its rows of the basis are multiplied by the factors, and its frame leads from what comes out to places
// in the world, from the key joint. Directions have a fourth number, of no meaning.
struct PatchSaid {
  float along[4], across[4], off[4], origin[4];
  float step;
  Factors factors;
};

// Where all patches' bases are, block after block: eight rows of x, of y and of z.
struct TiledBasis {
  PackedMatrix rows;
  const TileRecord* tiles;
  const uint32_t* blocks;  // the patch of each
  const uint16_t* shares;  // eight a block

  // Then coordinates are left in steps, and directions of PatchSaid are to be by the step.
  bool in_steps() const { return rows.integers_only() && !rows.row_scales; }
};

// Some tiles' places in the world (x y z). `positions` has room for a vertex more. Whatever networks say, places are within 10 km of the
// key joint: what is no number counts as -10 km.
using ExpandTiles = void (*)(const TiledBasis& basis, size_t first, size_t count, const PatchSaid* said,
                             V3 key_joint, float* positions);

// The fastest that this processor has for a basis: all give the same.
ExpandTiles best_expand_tiles(const TiledBasis& basis);
// That of ARM's products of matrices, for so many columns of integers; null where there is none.
ExpandTiles expand_tiles_i8mm(uint32_t columns);

}  // namespace billow
