// Tiles by ARM's products of matrices. Built for processors that have them, whatever the rest of the library is built for; nothing else
// may be in this file.
#include <iterator>

#include "decode/expand_tiles.h"
#include "decode/sum_tile.h"

namespace billow {

#if defined(BILLOW_SIMD_NEON) && defined(__ARM_FEATURE_MATMUL_INT8)

namespace {

// Four rows, from the high and low sums of two and of the other two: 256 * high + low.
BILLOW_ALWAYS_INLINE F4 four_rows(int32x4_t rows01, int32x4_t rows23) {
  const int32x4_t high = vuzp1q_s32(rows01, rows23), low = vuzp2q_s32(rows01, rows23);
  return {vcvtq_f32_s32(vmlaq_s32(low, high, vdupq_n_s32(256)))};
}

// Sums of so many columns, in eights, stay in registers until they are coordinates.
template <size_t kEights> struct SumsInRegisters {
  static constexpr size_t kEightBytes = 8 * kPanelRows, kPanelBytes = kEights * kEightBytes, kAhead = 4096;

  BILLOW_ALWAYS_INLINE F8 panel(const int8_t* at, const int8x16_t (&steps)[kEights]) const {
    const int32x4_t none = vdupq_n_s32(0);
    int32x4_t rows01 = none, rows23 = none, rows45 = none, rows67 = none;
#pragma GCC unroll 8
    for (size_t k = 0; k < kEights; ++k, at += kEightBytes) {
      rows01 = vmmlaq_s32(rows01, vld1q_s8(at), steps[k]);
      rows23 = vmmlaq_s32(rows23, vld1q_s8(at + 16), steps[k]);
      rows45 = vmmlaq_s32(rows45, vld1q_s8(at + 32), steps[k]);
      rows67 = vmmlaq_s32(rows67, vld1q_s8(at + 48), steps[k]);
    }
    return {four_rows(rows01, rows23), four_rows(rows45, rows67)};
  }
  BILLOW_ALWAYS_INLINE Coordinates operator()(const TiledBasis& basis, size_t block,
                                              const PatchSaid& said) const {
    const auto* at = reinterpret_cast<const int8_t*>(basis.rows.panels) + 3 * kPanelBytes * block;
    // What is read a few kilobytes later is fetched meanwhile.
#pragma GCC unroll 16
    for (size_t k = 0; k < 3 * kEights; ++k) __builtin_prefetch(at + kAhead + kEightBytes * k);
    int8x16_t steps[kEights];
#pragma GCC unroll 8
    for (size_t k = 0; k < kEights; ++k) steps[k] = vld1q_s8(said.factors.bytes + 16 * k);
    return {panel(at, steps), panel(at + kPanelBytes, steps), panel(at + 2 * kPanelBytes, steps)};
  }
};

template <size_t kEights>
void expand(const TiledBasis& basis, size_t first, size_t count, const PatchSaid* said, V3 key_joint,
            float* positions) {
  sum_tiles(basis, first, count, said, key_joint, positions, SumsInRegisters<kEights>{});
}

}  // namespace

ExpandTiles expand_tiles_i8mm(uint32_t columns) {
  constexpr ExpandTiles kBy[] = {nullptr, expand<1>, expand<2>, expand<3>, expand<4>};
  return columns % 8 == 0 && columns / 8 < std::size(kBy) ? kBy[columns / 8] : nullptr;
}

#else

ExpandTiles expand_tiles_i8mm(uint32_t) { return nullptr; }

#endif

}  // namespace billow
