// Sums of panels by AVX2: two rows of eight columns at once, as products of 16 bits. Functions that say so are built for processors that have it,
// whatever the rest of the library is built for, and may be called there only.
#pragma once

#include "core/simd.h"
#include "net/matrix.h"

#if defined(BILLOW_SIMD_SSE) && defined(__x86_64__) && defined(__GNUC__)
#define BILLOW_AVX2 __attribute__((target("avx2")))

#include <immintrin.h>

namespace billow::avx2 {

inline bool is_there() { return __builtin_cpu_supports("avx2"); }

// Eight steps, twice.
BILLOW_AVX2 inline __m256i steps_at(const int16_t* steps) {
  return _mm256_broadcastsi128_si256(_mm_loadu_si128(reinterpret_cast<const __m128i*>(steps)));
}
// Eight columns of two rows, each as 16 bits.
BILLOW_AVX2 inline __m256i two_rows(const int8_t* at) {
  return _mm256_cvtepi8_epi16(_mm_loadu_si128(reinterpret_cast<const __m128i*>(at)));
}

// The sums of one panel: two rows each, four parts of either.
struct PanelSums {
  __m256i rows[4];
};
BILLOW_AVX2 inline PanelSums no_sums() {
  const __m256i none = _mm256_setzero_si256();
  return {{none, none, none, none}};
}
BILLOW_AVX2 inline void add(__m256i& sums, __m256i rows, __m256i steps) {
  sums = _mm256_add_epi32(sums, _mm256_madd_epi16(rows, steps));
}
BILLOW_AVX2 inline void finish(const PanelSums& s, int32_t* out) {
  // Rows 0 2 4 6, and 1 3 5 7.
  const __m256i sums =
      _mm256_hadd_epi32(_mm256_hadd_epi32(s.rows[0], s.rows[1]), _mm256_hadd_epi32(s.rows[2], s.rows[3]));
  const __m128i even = _mm256_castsi256_si128(sums), odd = _mm256_extracti128_si256(sums, 1);
  _mm_storeu_si128(reinterpret_cast<__m128i*>(out), _mm_unpacklo_epi32(even, odd));
  _mm_storeu_si128(reinterpret_cast<__m128i*>(out + 4), _mm_unpackhi_epi32(even, odd));
}

}  // namespace billow::avx2

#endif
