// Sums of panels by AVX2: two rows of eight columns at once, as products of 16 bits.
#pragma once

#include "core/simd.h"
#include "net/matrix.h"

#if defined(BILLOW_SIMD_AVX2)

namespace billow::avx2 {

// Eight steps, twice.
BILLOW_ALWAYS_INLINE __m256i steps_at(const void* steps) {
  return _mm256_broadcastsi128_si256(_mm_loadu_si128(static_cast<const __m128i*>(steps)));
}
// Eight columns of two rows, each as 16 bits.
BILLOW_ALWAYS_INLINE __m256i two_rows(const int8_t* at) {
  return _mm256_cvtepi8_epi16(_mm_loadu_si128(reinterpret_cast<const __m128i*>(at)));
}

// Of four rows: four parts of each.
struct FourRowSums {
  __m256i rows01 = _mm256_setzero_si256(), rows23 = rows01;

  BILLOW_ALWAYS_INLINE void add(__m256i r01, __m256i r23, __m256i steps) {
    rows01 = _mm256_add_epi32(rows01, _mm256_madd_epi16(r01, steps));
    rows23 = _mm256_add_epi32(rows23, _mm256_madd_epi16(r23, steps));
  }
};
BILLOW_ALWAYS_INLINE __m256i eight_rows(const FourRowSums& a, const FourRowSums& b) {
  // 0 2 4 6, and 1 3 5 7.
  const __m256i by_turns =
      _mm256_hadd_epi32(_mm256_hadd_epi32(a.rows01, a.rows23), _mm256_hadd_epi32(b.rows01, b.rows23));
  return _mm256_permutevar8x32_epi32(by_turns, _mm256_set_epi32(7, 3, 6, 2, 5, 1, 4, 0));
}

}  // namespace billow::avx2

#endif
