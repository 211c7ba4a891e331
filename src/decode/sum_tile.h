// Shared by the implementations of expand_tiles: from the sums of a tile to world positions.
#pragma once

#include <algorithm>

#include "core/simd.h"
#include "decode/expand_tiles.h"
#include "net/quantise.h"

namespace billow {

BILLOW_ALWAYS_INLINE void store_point(float* to, F4 point) {
#if defined(BILLOW_SIMD_NEON)
  vst1_f32(to, vget_low_f32(point.v));
  vst1q_lane_f32(to + 2, point.v, 2);
#elif defined(BILLOW_SIMD_SSE)
  _mm_storel_pi(reinterpret_cast<__m64*>(to), point.v);
  _mm_store_ss(to + 2, _mm_movehl_ps(point.v, point.v));
#elif defined(BILLOW_SIMD_WASM)
  wasm_v128_store64_lane(to, point.v, 0);
  wasm_v128_store32_lane(to + 2, point.v, 2);
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

// Of a tile's vertices, relative to the centre.
struct Coordinates {
  F8 x, y, z;
};
// From the sums of x, y and z, eight each.
template <class Value> BILLOW_ALWAYS_INLINE Coordinates coordinates_of(const Value* sums, float q_scale) {
  const auto eight = [&](uint32_t first) {
    return F8{load_as_floats(sums + first) * q_scale, load_as_floats(sums + first + kLanes) * q_scale};
  };
  return {eight(0), eight(kPanelRows), eight(2 * kPanelRows)};
}

// One coordinate from the centre to the world.
template <class F> struct ToWorld {
  F centre, key_joint;
  bool far;  // may be: then clamp

  BILLOW_ALWAYS_INLINE F operator()(F from_centre) const {
    F x = from_centre + centre;
    if (far) x = clamp(x, -1e4f, 1e4f);
    return x + key_joint;
  }
};

// Decodes tiles. `find` returns the Coordinates of one.
template <class Find>
BILLOW_ALWAYS_INLINE void sum_tiles(const TiledBasis& basis, size_t first, size_t count,
                                    const QuantisedCoefficients& coefficients, bool far, float* positions,
                                    Find find) {
  const auto to_world = [&](float centre, float key_joint) {
    return ToWorld<F8>{splat8(centre), splat8(key_joint), far};
  };
  const ToWorld<F8> world_x = to_world(coefficients.centre.x, coefficients.key_joint.x),
                    world_y = to_world(coefficients.centre.y, coefficients.key_joint.y),
                    world_z = to_world(coefficients.centre.z, coefficients.key_joint.z);
  for (const TileRecord* t = basis.tiles + first; t < basis.tiles + first + count; ++t) {
    const Coordinates c = find(basis, *t, coefficients);
    const F8 x = world_x(c.x), y = world_y(c.y), z = world_z(c.z);
    store_four(t->vertices, low_half(x), low_half(y), low_half(z), positions);
    store_four(t->vertices + kLanes, high_half(x), high_half(y), high_half(z), positions);
  }
}

}  // namespace billow
