#include "decode/sum_tile.h"
#include "net/avx2.h"

namespace billow {

#if defined(BILLOW_AVX2)

namespace {

BILLOW_AVX2 void sum_tile(const TiledBasis& basis, const TileRecord& tile, const PatchesSaid& said,
                          int32_t* out) {
  const size_t columns = basis.rows.int8;
  const auto* at =
      reinterpret_cast<const int8_t*>(basis.rows.panels) + kPanelRows * columns * tile.first_block;
  avx2::PanelSums x = avx2::no_sums(), y = x, z = x;
  const uint32_t* const first = basis.blocks + tile.first_block;
  for (const uint32_t* patch = first; patch < first + tile.blocks; ++patch) {
    const int16_t* steps = said.factors.steps + 3 * columns * *patch;
    for (size_t k = 0; k < columns; k += 8, steps += 8, at += 8 * kPanelRows) {
      const __m256i by_x = avx2::steps_at(steps), by_y = avx2::steps_at(steps + columns),
                    by_z = avx2::steps_at(steps + 2 * columns);
#pragma GCC unroll 4
      for (int r = 0; r < 4; ++r) {
        const __m256i rows = avx2::two_rows(at + 16 * r);
        avx2::add(x.rows[r], rows, by_x), avx2::add(y.rows[r], rows, by_y), avx2::add(z.rows[r], rows, by_z);
      }
    }
  }
  avx2::finish(x, out), avx2::finish(y, out + kPanelRows), avx2::finish(z, out + 2 * kPanelRows);
}

struct SumsByAvx2 {
  Coordinates operator()(const TiledBasis& basis, const TileRecord& tile, const PatchesSaid& said) const {
    int32_t sums[3 * kPanelRows];
    sum_tile(basis, tile, said, sums);
    return coordinates_of(sums, said.step);
  }
};

void expand(const TiledBasis& basis, size_t first, size_t count, const PatchesSaid& said, float* positions) {
  sum_tiles(basis, first, count, said, positions, SumsByAvx2{});
}

}  // namespace

ExpandTiles expand_tiles_avx2() { return avx2::is_there() ? expand : nullptr; }

#else

ExpandTiles expand_tiles_avx2() { return nullptr; }

#endif

}  // namespace billow
