// Tiles with int16 products of 128-bit SIMD: SSE2 and WebAssembly.
#include "decode/sum_tile.h"
#include "net/pairs.h"

namespace billow {

#if defined(BILLOW_SIMD_SSE) || defined(BILLOW_SIMD_WASM)

namespace {

using namespace pairs;

// One coordinate of two rows.
struct Sums {
  I32 row0 = zero_sums(), row1 = zero_sums();

  BILLOW_ALWAYS_INLINE void add_eight(I16 r0, I16 r1, I16 q16) {
    row0 = add(row0, dot(r0, q16)), row1 = add(row1, dot(r1, q16));
  }
  BILLOW_ALWAYS_INLINE I32 pairs() const { return add_pairwise(row0, row1); }
};

// Two rows of a tile: as many sums as stay in registers.
struct TwoRows {
  Sums x, y, z;

  BILLOW_ALWAYS_INLINE TwoRows(const int8_t* at, const uint32_t* patch, const uint32_t* end,
                               const QuantisedVector& coefficients, size_t columns) {
    for (; patch != end; ++patch) {
      const size_t first = 3 * columns * *patch;
      for (size_t k = first; k < first + columns; k += 8, at += 8 * kPanelRows) {
        const I16 row0 = load_widened(at), row1 = load_widened(at + 8);
        x.add_eight(row0, row1, load_q16(coefficients, k));
        y.add_eight(row0, row1, load_q16(coefficients, k + columns));
        z.add_eight(row0, row1, load_q16(coefficients, k + 2 * columns));
      }
    }
  }
};

struct SumsByPairs {
  Coordinates operator()(const TiledBasis& basis, const TileRecord& tile,
                         const QuantisedCoefficients& coefficients) const {
    const size_t columns = basis.rows.int8;
    const auto* at =
        reinterpret_cast<const int8_t*>(basis.rows.panels) + kPanelRows * columns * tile.first_block;
    const uint32_t *patch = basis.blocks + tile.first_block, *end = patch + tile.blocks;
    const auto rows = [&](int first) {
      return TwoRows(at + 8 * first, patch, end, coefficients.quantised, columns);
    };
    const auto four = [&](const Sums& a, const Sums& b) {
      return to_floats(add_pairwise(a.pairs(), b.pairs())) * coefficients.q_scale;
    };
    const TwoRows rows01 = rows(0), rows23 = rows(2);
    const F4 x = four(rows01.x, rows23.x), y = four(rows01.y, rows23.y), z = four(rows01.z, rows23.z);
    const TwoRows rows45 = rows(4), rows67 = rows(6);
    return {{x, four(rows45.x, rows67.x)}, {y, four(rows45.y, rows67.y)}, {z, four(rows45.z, rows67.z)}};
  }
};

void expand(const TiledBasis& basis, size_t first, size_t count, const QuantisedCoefficients& coefficients,
            float* positions) {
  sum_tiles(basis, first, count, coefficients, coefficients.may_be_far(), positions, SumsByPairs{});
}

}  // namespace

ExpandTiles expand_tiles_pairs() { return expand; }

#else

ExpandTiles expand_tiles_pairs() { return nullptr; }

#endif

}  // namespace billow
