// The sum over the patches of a tile, whatever their coordinates are found by.
#pragma once

#include <algorithm>

#include "core/simd.h"
#include "decode/expand_tiles.h"
#include "net/steps.h"

namespace billow {

// Eight numbers as two vectors.
BILLOW_ALWAYS_INLINE F8 load_eight(const uint16_t* p) {
#if defined(BILLOW_SIMD_NEON)
  const uint16x8_t all = vld1q_u16(p);
  return {{vcvtq_f32_u32(vmovl_u16(vget_low_u16(all)))}, {vcvtq_f32_u32(vmovl_high_u16(all))}};
#else
  float all[2 * kLanes];
  for (int i = 0; i < 2 * kLanes; ++i) all[i] = static_cast<float>(p[i]);
  return load_as<F8>(all);
#endif
}

BILLOW_ALWAYS_INLINE void store_point(float* to, F4 point) {
#if defined(BILLOW_SIMD_NEON)
  vst1_f32(to, vget_low_f32(point.v));
  vst1q_lane_f32(to + 2, point.v, 2);
#else
  float all[kLanes];
  store(all, point);
  std::copy_n(all, 3, to);
#endif
}

BILLOW_ALWAYS_INLINE void store_four(const uint32_t* vertices, F4 x, F4 y, F4 z, float* positions) {
  F4 w = zero();
  transpose(x, y, z, w);
  store_point(positions + 3 * size_t{vertices[0]}, x);
  store_point(positions + 3 * size_t{vertices[1]}, y);
  store_point(positions + 3 * size_t{vertices[2]}, z);
  store_point(positions + 3 * size_t{vertices[3]}, w);
}

// Of a block's vertices, in their patch's frame.
struct Coordinates {
  F8 along, across, off;
};

// One coordinate of eight vertices in the world, so far, and what a block adds to it.
BILLOW_ALWAYS_INLINE void add(F8& sum, const Coordinates& c, float along, float across, float off,
                              float origin, F8 share) {
  sum = sum + (c.along * along + c.across * across + c.off * off + lanes<F8>(origin)) * share;
}

// `find` gives the coordinates of a block.
template <class Find>
BILLOW_ALWAYS_INLINE void sum_tiles(const TiledBasis& basis, size_t first, size_t count,
                                    const PatchSaid* said, V3 key_joint, float* positions, Find find) {
  for (const TileRecord* t = basis.tiles + first; t < basis.tiles + first + count; ++t) {
    F8 x = lanes<F8>(0.0f), y = x, z = x;
    for (size_t b = t->first_block; b < t->first_block + t->blocks; ++b) {
      const PatchSaid& s = said[basis.blocks[b]];
      const Coordinates c = find(basis, b, s);
      const F8 share = load_eight(basis.shares + kPanelRows * b);
      add(x, c, s.along[0], s.across[0], s.off[0], s.origin[0], share);
      add(y, c, s.along[1], s.across[1], s.off[1], s.origin[1], share);
      add(z, c, s.along[2], s.across[2], s.off[2], s.origin[2], share);
    }
    const auto placed = [](F8 sum, float to) {
      const auto half = [&](F4 h) { return clamp(h * (1.0f / kWholeShare), -1e4f, 1e4f) + to; };
      return F8{half(sum.low), half(sum.high)};
    };
    x = placed(x, key_joint.x), y = placed(y, key_joint.y), z = placed(z, key_joint.z);
    store_four(t->vertices, x.low, y.low, z.low, positions);
    store_four(t->vertices + kLanes, x.high, y.high, z.high, positions);
  }
}

}  // namespace billow
