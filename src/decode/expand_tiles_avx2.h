// Tiles with AVX2. A row occupies one half of a 256-bit register until it is a point, so nothing crosses
// halves.
#pragma once

#include <iterator>

#include "decode/sum_tile.h"
#include "net/avx2.h"

#if defined(BILLOW_SIMD_AVX2)

namespace billow::avx2 {

// Reduces four partial sums per row to two, interleaved: a b a b.
BILLOW_ALWAYS_INLINE __m256i reduce_to_two(__m256i a, __m256i b) {
  return _mm256_add_epi32(_mm256_unpacklo_epi32(a, b), _mm256_unpackhi_epi32(a, b));
}
// Reduces these to one: both sums of a, then both of b.
BILLOW_ALWAYS_INLINE F8 reduce_to_one(__m256i a, __m256i b) {
  return F8(_mm256_cvtepi32_ps(_mm256_add_epi32(_mm256_unpacklo_epi64(a, b), _mm256_unpackhi_epi64(a, b))));
}

// `Method` has Products (avx2::Products or DotProducts), kRegisters (how many registers of rows are summed at
// once, per coordinate) and store (of the three coordinates of a point). It has to be local to its file, as
// in integer_kernel.h. kColumnGroups: groups of eight columns.
template <class Method, size_t kColumnGroups> class Tiles {
 public:
  static void expand(const TiledBasis& basis, size_t first, size_t count,
                     const QuantisedCoefficients& coefficients, float* positions) {
    const Tiles tiles(basis, coefficients, positions);
    for (const TileRecord* t = basis.tiles + first; t < basis.tiles + first + count; ++t) tiles.expand(*t);
  }

 private:
  static constexpr size_t kColumns = 8 * kColumnGroups, kRegisters = Method::kRegisters;

  static BILLOW_ALWAYS_INLINE F8 two_each(float a, float b) {
    return F8(_mm256_setr_ps(a, a, b, b, a, a, b, b));
  }

  BILLOW_ALWAYS_INLINE Tiles(const TiledBasis& basis, const QuantisedCoefficients& coefficients,
                             float* positions)
      : panels_(reinterpret_cast<const int8_t*>(basis.rows.panels)),
        patches_(basis.blocks),
        q16_(coefficients.quantised.q16),
        q_scale_(coefficients.q_scale),
        xy_{two_each(coefficients.centre.x, coefficients.centre.y),
            two_each(coefficients.key_joint.x, coefficients.key_joint.y), coefficients.may_be_far()},
        z_{splat8(coefficients.centre.z), splat8(coefficients.key_joint.z), xy_.far},
        positions_(positions) {}

  BILLOW_ALWAYS_INLINE void expand(const TileRecord& tile) const {
#pragma GCC unroll 2
    for (size_t row = 0; row < kPanelRows; row += 2 * kRegisters) expand_rows(tile, row);
  }

  BILLOW_ALWAYS_INLINE void expand_rows(const TileRecord& tile, size_t first_row) const {
    __m256i x[kRegisters], y[kRegisters], z[kRegisters];
    for (size_t r = 0; r < kRegisters; ++r) x[r] = y[r] = z[r] = _mm256_setzero_si256();
    const int8_t* at = panels_ + kColumns * kPanelRows * tile.first_block + 8 * first_row;
    const uint32_t *patch = patches_ + tile.first_block, *const end = patch + tile.blocks;
    for (; patch != end; ++patch) {
      const int16_t* q16 = q16_ + 3 * kColumns * *patch;
#pragma GCC unroll 4
      for (size_t k = 0; k < kColumnGroups; ++k, at += 8 * kPanelRows, q16 += 8) {
        const __m256i q16_x = q16_at(q16), q16_y = q16_at(q16 + kColumns), q16_z = q16_at(q16 + 2 * kColumns);
#pragma GCC unroll 4
        for (size_t r = 0; r < kRegisters; ++r) {
          const __m256i rows = two_rows(at + 16 * r);
          Method::Products::add(x[r], rows, q16_x);
          Method::Products::add(y[r], rows, q16_y);
          Method::Products::add(z[r], rows, q16_z);
        }
      }
    }
#pragma GCC unroll 2
    for (size_t r = 0; r < kRegisters; r += 2) {
      // Each half has the x of two rows, one of either register, then their y; and their z.
      const __m256i two_x = reduce_to_two(x[r], x[r + 1]), two_y = reduce_to_two(y[r], y[r + 1]),
                    two_z = reduce_to_two(z[r], z[r + 1]);
      const F8 xy = xy_(reduce_to_one(two_x, two_y) * q_scale_),
               zz = z_(reduce_to_one(two_z, two_z) * q_scale_);
      const uint32_t* vertices = tile.vertices + first_row + 2 * r;
      store(vertices, _mm256_shuffle_ps(xy.v, zz.v, _MM_SHUFFLE(0, 0, 2, 0)));
      store(vertices + 2, _mm256_shuffle_ps(xy.v, zz.v, _MM_SHUFFLE(1, 1, 3, 1)));
    }
  }

  BILLOW_ALWAYS_INLINE void store(const uint32_t* vertices, __m256 points) const {
    Method::store(positions_ + 3 * size_t{vertices[0]}, _mm256_castps256_ps128(points));
    Method::store(positions_ + 3 * size_t{vertices[1]}, _mm256_extractf128_ps(points, 1));
  }

  const int8_t* panels_;
  const uint32_t* patches_;
  const int16_t* q16_;
  float q_scale_;
  ToWorld<F8> xy_, z_;
  float* positions_;
};

template <class Method> ExpandTiles expand_tiles(uint32_t columns) {
  constexpr ExpandTiles kByGroups[] = {nullptr, Tiles<Method, 1>::expand, Tiles<Method, 2>::expand,
                                       Tiles<Method, 3>::expand, Tiles<Method, 4>::expand};
  return columns % 8 == 0 && columns / 8 < std::size(kByGroups) ? kByGroups[columns / 8] : nullptr;
}

}  // namespace billow::avx2

#endif
