// Decoding by patches: from coefficients to vertex positions. A patch has a coefficient for each column of
// its basis, which is a vector in world space. Each of its vertices has a row of the basis. A vertex position
// is the sum of basis entries times coefficients, over all columns of all patches that the vertex belongs to.
#pragma once

#include <cmath>
#include <span>

#include "core/vec.h"
#include "decode/tile.h"

namespace billow {

// The bases of all patches: one row per vertex, eight rows per block (tile.h).
struct TiledBasis {
  PackedMatrix rows;
  const TileRecord* tiles = nullptr;
  const uint32_t* blocks = nullptr;  // the patch of each block
  uint32_t max_blocks = 0;           // largest number of blocks in a tile

  // Then a coordinate is one integer sum times one scale.
  bool all_int8() const { return rows.integers_only() && !rows.row_scales; }
};

// The world-space coefficients of all patches in one frame, quantised with one scale. Decoded positions are
// relative to `centre`, and that is relative to `key_joint`.
struct QuantisedCoefficients {
  QuantisedVector quantised;  // patch by patch: all x, all y, all z
  float q_scale;
  V3 centre, key_joint;

  // Whether an integer sum, which is below 2^31, could be 10 km away.
  bool may_be_far() const {
    const float max_sum = 2147483648.0f * q_scale;
    const auto near = [&](float c) { return std::fabs(c) + max_sum < 9e3f; };
    return !(near(centre.x) && near(centre.y) && near(centre.z));
  }
};

// Quantises world-space coefficients. `coefficients` has, patch by patch, the x of all columns, then y, then
// z, each padded to a multiple of eight. Values that are not finite, or beyond 1e30, become 0. Returns
// q_scale, which is the same for all patches, so that their integer sums can be added.
float quantise_coefficients(const TiledBasis& basis, std::span<float> coefficients,
                            const QuantisedVector& scratch);

// Decodes `count` tiles from `first` on to world positions (x y z). `positions` has one vertex more, which
// the padding of tiles writes to. Whatever the networks return, positions are within 10 km of the key joint:
// NaN counts as -10 km.
using ExpandTiles = void (*)(const TiledBasis& basis, size_t first, size_t count,
                             const QuantisedCoefficients& coefficients, float* positions);

// The fastest implementation for this processor and basis. All give the same bits.
ExpandTiles best_expand_tiles(const TiledBasis& basis);
// With ARM's matrix products (I8MM), AVX-512 VNNI and AVX2, for a number of int8 columns; null where not
// available.
ExpandTiles expand_tiles_i8mm(uint32_t columns);
ExpandTiles expand_tiles_vnni(uint32_t columns);
ExpandTiles expand_tiles_avx2(uint32_t columns);
// With 128-bit SIMD, for any number of int8 columns; null where another is faster or not available.
ExpandTiles expand_tiles_pairs();

}  // namespace billow
