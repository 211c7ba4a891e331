// Integer sums by products of 16 bits, two of which are added at once: what SSE2, WebAssembly and any 64-bit ARM have. Written once, in
// terms of the few instructions below.
#include "core/simd.h"
#include "net/integer_sums.h"

namespace billow {

#if defined(BILLOW_SIMD_SCALAR)

IntegerSums integer_sums_pairs() { return nullptr; }

#else

namespace {

#if defined(BILLOW_SIMD_NEON)

using I16 = int16x8_t;
using I32 = int32x4_t;
inline I32 no_sums() { return vdupq_n_s32(0); }
// Eight bytes, each as 16 bits.
inline I16 widened(const int8_t* p) { return vmovl_s8(vld1_s8(p)); }
// Four steps, and the same again.
inline I16 steps_twice(const int16_t* p) { return vcombine_s16(vld1_s16(p), vld1_s16(p)); }
// Products of neighbours, added: 0 and 1, 2 and 3, and so on.
inline I32 dot(I16 a, I16 b) {
  return vpaddq_s32(vmull_s16(vget_low_s16(a), vget_low_s16(b)),
                    vmull_s16(vget_high_s16(a), vget_high_s16(b)));
}
inline I32 add(I32 a, I32 b) { return vaddq_s32(a, b); }
inline I32 add_neighbours(I32 a, I32 b) { return vpaddq_s32(a, b); }
inline I16 low_half(I16 bytes) { return vshrq_n_s16(vshlq_n_s16(bytes, 12), 12); }
inline I16 high_half(I16 bytes) { return vshrq_n_s16(bytes, 4); }
inline void store(int32_t* p, I32 a) { vst1q_s32(p, a); }

#elif defined(BILLOW_SIMD_SSE)

using I16 = __m128i;
using I32 = __m128i;
inline I32 no_sums() { return _mm_setzero_si128(); }
inline I16 widened(const int8_t* p) {
  const __m128i bytes = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(p));
  return _mm_srai_epi16(_mm_unpacklo_epi8(bytes, bytes), 8);
}
inline I16 steps_twice(const int16_t* p) {
  const __m128i four = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(p));
  return _mm_unpacklo_epi64(four, four);
}
inline I32 dot(I16 a, I16 b) { return _mm_madd_epi16(a, b); }
inline I32 add(I32 a, I32 b) { return _mm_add_epi32(a, b); }
inline I32 add_neighbours(I32 a, I32 b) {
  const __m128 x = _mm_castsi128_ps(a), y = _mm_castsi128_ps(b);
  return _mm_add_epi32(_mm_castps_si128(_mm_shuffle_ps(x, y, _MM_SHUFFLE(2, 0, 2, 0))),
                       _mm_castps_si128(_mm_shuffle_ps(x, y, _MM_SHUFFLE(3, 1, 3, 1))));
}
inline I16 low_half(I16 bytes) { return _mm_srai_epi16(_mm_slli_epi16(bytes, 12), 12); }
inline I16 high_half(I16 bytes) { return _mm_srai_epi16(bytes, 4); }
inline void store(int32_t* p, I32 a) { _mm_storeu_si128(reinterpret_cast<__m128i*>(p), a); }

#else

using I16 = v128_t;
using I32 = v128_t;
inline I32 no_sums() { return wasm_i32x4_splat(0); }
inline I16 widened(const int8_t* p) { return wasm_i16x8_load8x8(p); }
inline I16 steps_twice(const int16_t* p) { return wasm_v128_load64_splat(p); }
inline I32 dot(I16 a, I16 b) { return wasm_i32x4_dot_i16x8(a, b); }
inline I32 add(I32 a, I32 b) { return wasm_i32x4_add(a, b); }
inline I32 add_neighbours(I32 a, I32 b) {
  return wasm_i32x4_add(wasm_i32x4_shuffle(a, b, 0, 2, 4, 6), wasm_i32x4_shuffle(a, b, 1, 3, 5, 7));
}
inline I16 low_half(I16 bytes) { return wasm_i16x8_shr(wasm_i16x8_shl(bytes, 12), 12); }
inline I16 high_half(I16 bytes) { return wasm_i16x8_shr(bytes, 4); }
inline void store(int32_t* p, I32 a) { wasm_v128_store(p, a); }

#endif

// The sums of a panel: two rows each, two halves a row.
struct Sums {
  I32 rows01 = no_sums(), rows23 = no_sums(), rows45 = no_sums(), rows67 = no_sums();

  // Four columns. `half` takes out of bytes what is wanted.
  template <class Half>
  BILLOW_ALWAYS_INLINE void add_four(const int8_t* at, const int16_t* steps, Half half) {
    const I16 s = steps_twice(steps);
    rows01 = add(rows01, dot(half(widened(at)), s));
    rows23 = add(rows23, dot(half(widened(at + 8)), s));
    rows45 = add(rows45, dot(half(widened(at + 16)), s));
    rows67 = add(rows67, dot(half(widened(at + 24)), s));
  }
};

void sums_by_pairs(const PanelRun& run, const Factors& factors, int32_t* out) {
  for (uint32_t p = 0; p < run.count; ++p, out += kPanelRows) {
    const auto* at = reinterpret_cast<const int8_t*>(run.first + p * run.stride);
    const int16_t* steps = factors.steps;
    Sums sums;
    for (uint32_t k = 0; k < run.int8; k += 4, at += 4 * kPanelRows, steps += 4)
      sums.add_four(at, steps, [](I16 bytes) { return bytes; });
    for (uint32_t k = 0; k < run.int4; k += 8, at += 4 * kPanelRows, steps += 8) {
      sums.add_four(at, steps, [](I16 bytes) { return low_half(bytes); });
      sums.add_four(at, steps + 4, [](I16 bytes) { return high_half(bytes); });
    }
    store(out, add_neighbours(sums.rows01, sums.rows23));
    store(out + 4, add_neighbours(sums.rows45, sums.rows67));
  }
}

}  // namespace

IntegerSums integer_sums_pairs() { return sums_by_pairs; }

#endif

}  // namespace billow
