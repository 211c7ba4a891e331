// Sums of panels with AVX2: a 256-bit register holds two rows of eight columns, widened to int16.
#pragma once

#include "core/simd.h"
#include "net/matrix.h"

#if defined(BILLOW_SIMD_AVX2)

namespace billow::avx2 {

// Eight int16 activations, in both halves of the register.
BILLOW_ALWAYS_INLINE __m256i q16_at(const void* q16) {
  return _mm256_broadcastsi128_si256(_mm_loadu_si128(static_cast<const __m128i*>(q16)));
}
// Eight int8 columns of two rows, widened to int16.
BILLOW_ALWAYS_INLINE __m256i two_rows(const int8_t* at) {
  return _mm256_cvtepi8_epi16(_mm_loadu_si128(reinterpret_cast<const __m128i*>(at)));
}

// Accumulates int16 products of two rows into int32 sums, four for each row.
struct Products {
  static BILLOW_ALWAYS_INLINE void add(__m256i& sums, __m256i rows, __m256i q16) {
    sums = _mm256_add_epi32(sums, _mm256_madd_epi16(rows, q16));
  }
};
#if defined(__AVX512VNNI__)
// The same in one instruction. In assembly, because with the intrinsic GCC 12 copies all sums in each
// iteration and networks take a fifth longer. Not in 512-bit registers, which would lower the processor's
// clock and so slow down the rest of the frame.
struct DotProducts {
  static BILLOW_ALWAYS_INLINE void add(__m256i& sums, __m256i rows, __m256i q16) {
    asm("vpdpwssd %2, %1, %0" : "+v"(sums) : "v"(rows), "v"(q16));
  }
};
#endif

// The sums of one panel, for panels_side_by_side.h.
template <class Products> struct PanelSums {
  __m256i rows01 = _mm256_setzero_si256(), rows23 = rows01, rows45 = rows01, rows67 = rows01;

  static BILLOW_ALWAYS_INLINE __m256i q16_at(const int8_t* q16) { return avx2::q16_at(q16); }
  BILLOW_ALWAYS_INLINE void add(const int8_t* at, __m256i q16) {
    Products::add(rows01, two_rows(at), q16), Products::add(rows23, two_rows(at + 16), q16);
    Products::add(rows45, two_rows(at + 32), q16), Products::add(rows67, two_rows(at + 48), q16);
  }
  BILLOW_ALWAYS_INLINE void finish(int32_t* out) const {
    // Horizontal sums leave the rows in the order 0 2 4 6 1 3 5 7.
    const __m256i even_odd =
        _mm256_hadd_epi32(_mm256_hadd_epi32(rows01, rows23), _mm256_hadd_epi32(rows45, rows67));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(out),
                        _mm256_permutevar8x32_epi32(even_odd, _mm256_set_epi32(7, 3, 6, 2, 5, 1, 4, 0)));
  }
};

}  // namespace billow::avx2

#endif
