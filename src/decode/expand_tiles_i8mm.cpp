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
  return {vcvtq_f32_s32(vaddq_s32(vshlq_n_s32(high, 8), low))};
}

// One coordinate of a tile.
struct Sums {
  int32x4_t rows01 = vdupq_n_s32(0), rows23 = rows01, rows45 = rows01, rows67 = rows01;

  // Eight columns: two rows of the basis each, and of what is said the high bytes and the low ones.
  BILLOW_ALWAYS_INLINE void add(const int8x16_t (&rows)[4], const int8_t* steps) {
    const int8x16_t said = vld1q_s8(steps);
    rows01 = vmmlaq_s32(rows01, rows[0], said), rows23 = vmmlaq_s32(rows23, rows[1], said);
    rows45 = vmmlaq_s32(rows45, rows[2], said), rows67 = vmmlaq_s32(rows67, rows[3], said);
  }
  BILLOW_ALWAYS_INLINE F8 coordinates(float step) const {
    return {four_rows(rows01, rows23) * step, four_rows(rows45, rows67) * step};
  }
};

// All sums of a tile stay in registers until they are coordinates.
template <size_t kEights> struct SumsInRegisters {
  BILLOW_ALWAYS_INLINE Coordinates operator()(const TiledBasis& basis, const TileRecord& tile,
                                              const PatchesSaid& said) const {
    constexpr size_t kEightBytes = 8 * kPanelRows, kSaid = 16 * kEights;
    const auto* at =
        reinterpret_cast<const int8_t*>(basis.rows.panels) + kEights * kEightBytes * tile.first_block;
    Sums x, y, z;
    const uint32_t* const first = basis.blocks + tile.first_block;
    for (const uint32_t* patch = first; patch < first + tile.blocks; ++patch) {
      const int8_t* steps = said.factors.bytes + 3 * kSaid * *patch;
#pragma GCC unroll 4
      for (size_t k = 0; k < kEights; ++k, at += kEightBytes, steps += 16) {
        const int8x16_t rows[] = {vld1q_s8(at), vld1q_s8(at + 16), vld1q_s8(at + 32), vld1q_s8(at + 48)};
        x.add(rows, steps), y.add(rows, steps + kSaid), z.add(rows, steps + 2 * kSaid);
      }
    }
    return {x.coordinates(said.step), y.coordinates(said.step), z.coordinates(said.step)};
  }
};

template <size_t kEights>
void expand(const TiledBasis& basis, size_t first, size_t count, const PatchesSaid& said, float* positions) {
  sum_tiles(basis, first, count, said, positions, SumsInRegisters<kEights>{});
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
