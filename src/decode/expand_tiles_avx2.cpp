#include <iterator>

#include "decode/sum_tile.h"
#include "net/avx2.h"

namespace billow {

#if defined(BILLOW_SIMD_AVX2)

namespace {

// Four rows of a tile, all coordinates: as many sums as stay in registers.
template <size_t kEights> struct FourRows {
  avx2::FourRowSums x, y, z;

  BILLOW_ALWAYS_INLINE FourRows(const int8_t* at, const uint32_t* patch, const uint32_t* end,
                                const int16_t* said) {
    constexpr size_t kSaid = 8 * kEights;
    for (; patch != end; ++patch) {
      const int16_t* steps = said + 3 * kSaid * *patch;
#pragma GCC unroll 4
      for (size_t k = 0; k < kEights; ++k, at += 8 * kPanelRows, steps += 8) {
        const __m256i rows01 = avx2::two_rows(at), rows23 = avx2::two_rows(at + 16);
        x.add(rows01, rows23, avx2::steps_at(steps));
        y.add(rows01, rows23, avx2::steps_at(steps + kSaid));
        z.add(rows01, rows23, avx2::steps_at(steps + 2 * kSaid));
      }
    }
  }
};

template <size_t kEights> struct SumsInRegisters {
  BILLOW_ALWAYS_INLINE Coordinates operator()(const TiledBasis& basis, const TileRecord& tile,
                                              const PatchesSaid& said) const {
    constexpr size_t kBlock = 8 * kEights * kPanelRows;
    const auto* at = reinterpret_cast<const int8_t*>(basis.rows.panels) + kBlock * tile.first_block;
    const uint32_t *patch = basis.blocks + tile.first_block, *end = patch + tile.blocks;
    const FourRows<kEights> first(at, patch, end, said.factors.steps),
        last(at + 8 * kPanelRows / 2, patch, end, said.factors.steps);
    const auto coordinates = [&](const avx2::FourRowSums& a, const avx2::FourRowSums& b) {
      return F8(_mm256_cvtepi32_ps(avx2::eight_rows(a, b))) * said.step;
    };
    return {coordinates(first.x, last.x), coordinates(first.y, last.y), coordinates(first.z, last.z)};
  }
};

template <size_t kEights>
void expand(const TiledBasis& basis, size_t first, size_t count, const PatchesSaid& said, float* positions) {
  sum_tiles(basis, first, count, said, positions, SumsInRegisters<kEights>{});
}

}  // namespace

ExpandTiles expand_tiles_avx2(uint32_t columns) {
  constexpr ExpandTiles kBy[] = {nullptr, expand<1>, expand<2>, expand<3>, expand<4>};
  return columns % 8 == 0 && columns / 8 < std::size(kBy) ? kBy[columns / 8] : nullptr;
}

#else

ExpandTiles expand_tiles_avx2(uint32_t) { return nullptr; }

#endif

}  // namespace billow
