// From what patches say to the vertices of the cloth. For each column of its basis a patch says a direction in the world; each
// of its vertices has a number for each column; and a vertex is the sum of all numbers times directions, over all its patches.
#pragma once

#include <cmath>
#include <span>

#include "core/vec.h"
#include "decode/tile.h"

namespace billow {

// Where all patches' bases are: a row a vertex, eight a block.
struct TiledBasis {
  PackedMatrix rows;
  const TileRecord* tiles = nullptr;
  const uint32_t* blocks = nullptr;  // the patch of each
  uint32_t most_blocks = 0;          // of a tile

  // Then all sums are of integers, in one step.
  bool all_int8() const { return rows.integers_only() && !rows.row_scales; }
};

// What all patches say in one frame. Places are from `centre`, and that from `key_joint`.
struct QuantisedCoefficients {
  QuantisedVector quantised;  // patch after patch: of x, of y, of z
  float q_scale;
  V3 centre, key_joint;

  // Whether sums of integers, which are below 2^31, may be 10 km away.
  bool may_be_far() const {
    const float most = 2147483648.0f * q_scale;
    const auto near = [&](float c) { return std::fabs(c) + most < 9e3f; };
    return !(near(centre.x) && near(centre.y) && near(centre.z));
  }
};

// From directions, patch after patch: all columns' x, then y, then z, each in eights. Numbers that are not finite, or beyond 1e30, become 0. Returns
// the step: one for all patches, so that their integers add up.
float quantise_coefficients(const TiledBasis& basis, std::span<float> directions,
                            const QuantisedVector& scratch);

// Some tiles' places in the world (x y z). `positions` has room for a vertex more. Whatever networks say, places are within 10 km of the
// key joint: what is no number counts as -10 km.
using ExpandTiles = void (*)(const TiledBasis& basis, size_t first, size_t count,
                             const QuantisedCoefficients& coefficients, float* positions);

// The fastest that this processor has for a basis: all give the same.
ExpandTiles best_expand_tiles(const TiledBasis& basis);
// That of ARM's products of matrices, of AVX-512's dot products, and of AVX2, for so many columns of integers; null where there is none.
ExpandTiles expand_tiles_i8mm(uint32_t columns);
ExpandTiles expand_tiles_vnni(uint32_t columns);
ExpandTiles expand_tiles_avx2(uint32_t columns);
// That of products of 16 bits, for any number of them; null where others are better, or there are none.
ExpandTiles expand_tiles_pairs();

}  // namespace billow
