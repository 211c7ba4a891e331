// Tiles with ARM's matrix products. Compiled for processors that have them, whatever the rest of the library
// is compiled for, so everything in it has to be local to this file.
#include <iterator>

#include "decode/expand_tiles.h"
#include "decode/sum_tile.h"

namespace billow {

#if defined(BILLOW_SIMD_NEON) && defined(__ARM_FEATURE_MATMUL_INT8)

namespace {

// One coordinate of a tile. Each register has the high and low sums of two rows.
struct Sums {
  int32x4_t rows01 = vdupq_n_s32(0), rows23 = rows01, rows45 = rows01, rows67 = rows01;

  // Adds eight columns: `rows` are two rows of the basis each, q16 the high and then the low bytes of the
  // coefficients.
  BILLOW_ALWAYS_INLINE void add(const int8x16_t (&rows)[4], const int8_t* q16) {
    const int8x16_t coefficients = vld1q_s8(q16);
    rows01 = vmmlaq_s32(rows01, rows[0], coefficients), rows23 = vmmlaq_s32(rows23, rows[1], coefficients);
    rows45 = vmmlaq_s32(rows45, rows[2], coefficients), rows67 = vmmlaq_s32(rows67, rows[3], coefficients);
  }
};

// 256 * high + low
BILLOW_ALWAYS_INLINE F4 combine(int32x4_t high, int32x4_t low) {
  return {vcvtq_f32_s32(vmlaq_n_s32(low, high, 256))};
}
BILLOW_ALWAYS_INLINE F4 alternate(float a, float b) {
  const float four[] = {a, b, a, b};
  return load(four);
}

// All sums of a tile stay in registers until they are points. A register has x and y of two rows, or z of
// four.
template <size_t kColumnGroups> class Tiles {
 public:
  BILLOW_ALWAYS_INLINE Tiles(const TiledBasis& basis, const QuantisedCoefficients& coefficients,
                             float* positions)
      : panels_(reinterpret_cast<const int8_t*>(basis.rows.panels)),
        patches_(basis.blocks),
        q16_(coefficients.quantised.bytes),
        q_scale_(coefficients.q_scale),
        xy_{alternate(coefficients.centre.x, coefficients.centre.y),
            alternate(coefficients.key_joint.x, coefficients.key_joint.y), coefficients.may_be_far()},
        z_{splat(coefficients.centre.z), splat(coefficients.key_joint.z), xy_.far},
        positions_(positions) {}

  BILLOW_ALWAYS_INLINE void expand(const TileRecord& tile) const {
    constexpr size_t kGroupBytes = 8 * kPanelRows, kCoefficientBytes = 16 * kColumnGroups;
    const int8_t* at = panels_ + kColumnGroups * kGroupBytes * tile.first_block;
    Sums x, y, z;
    const uint32_t* const first = patches_ + tile.first_block;
    for (const uint32_t* patch = first; patch < first + tile.blocks; ++patch) {
      const int8_t* q16 = q16_ + 3 * kCoefficientBytes * *patch;
#pragma GCC unroll 4
      for (size_t k = 0; k < kColumnGroups; ++k, at += kGroupBytes, q16 += 16) {
        const int8x16_t rows[] = {vld1q_s8(at), vld1q_s8(at + 16), vld1q_s8(at + 32), vld1q_s8(at + 48)};
        x.add(rows, q16), y.add(rows, q16 + kCoefficientBytes), z.add(rows, q16 + 2 * kCoefficientBytes);
      }
    }
    const F4 z0 = z_(combine(vuzp1q_s32(z.rows01, z.rows23), vuzp2q_s32(z.rows01, z.rows23)) * q_scale_);
    store<0>(tile.vertices, x.rows01, y.rows01, z0);
    store<2>(tile.vertices + 2, x.rows23, y.rows23, z0);
    const F4 z4 = z_(combine(vuzp1q_s32(z.rows45, z.rows67), vuzp2q_s32(z.rows45, z.rows67)) * q_scale_);
    store<0>(tile.vertices + 4, x.rows45, y.rows45, z4);
    store<2>(tile.vertices + 6, x.rows67, y.rows67, z4);
  }

 private:
  // Stores two rows, whose z are in lanes kLane and kLane + 1.
  template <int kLane>
  BILLOW_ALWAYS_INLINE void store(const uint32_t* vertices, int32x4_t x, int32x4_t y, F4 z) const {
    const F4 xy = xy_(combine(vtrn1q_s32(x, y), vtrn2q_s32(x, y)) * q_scale_);
    float *const a = positions_ + 3 * size_t{vertices[0]}, *const b = positions_ + 3 * size_t{vertices[1]};
    vst1_f32(a, vget_low_f32(xy.v));
    vst1q_lane_f32(a + 2, z.v, kLane);
    vst1_f32(b, vget_high_f32(xy.v));
    vst1q_lane_f32(b + 2, z.v, kLane + 1);
  }

  const int8_t* panels_;
  const uint32_t* patches_;
  const int8_t* q16_;
  float q_scale_;
  ToWorld<F4> xy_, z_;
  float* positions_;
};

template <size_t kColumnGroups>
void expand(const TiledBasis& basis, size_t first, size_t count, const QuantisedCoefficients& coefficients,
            float* positions) {
  const Tiles<kColumnGroups> tiles(basis, coefficients, positions);
  for (const TileRecord* t = basis.tiles + first; t < basis.tiles + first + count; ++t) tiles.expand(*t);
}

}  // namespace

ExpandTiles expand_tiles_i8mm(uint32_t columns) {
  constexpr ExpandTiles kByGroups[] = {nullptr, expand<1>, expand<2>, expand<3>, expand<4>};
  return columns % 8 == 0 && columns / 8 < std::size(kByGroups) ? kByGroups[columns / 8] : nullptr;
}

#else

ExpandTiles expand_tiles_i8mm(uint32_t) { return nullptr; }

#endif

}  // namespace billow
