// The integer operations that SSE2, WebAssembly and any 64-bit ARM have in common: int16 products, added in
// pairs to int32. Kernels on top of them are written once.
#pragma once

#include "core/simd.h"
#include "net/matrix.h"

#if !defined(BILLOW_SIMD_SCALAR)

namespace billow::pairs {

#if defined(BILLOW_SIMD_NEON)

using I16 = int16x8_t;
using I32 = int32x4_t;
inline I32 zero_sums() { return vdupq_n_s32(0); }
// Eight int8, widened to int16.
inline I16 load_widened(const int8_t* p) { return vmovl_s8(vld1_s8(p)); }
// Eight int16 activations from index k on.
inline I16 load_q16(const QuantisedVector& quantised, size_t k) {
  const int8x8_t high = vld1_s8(quantised.bytes + 2 * k), low = vld1_s8(quantised.bytes + 2 * k + 8);
  return vaddw_s8(vshll_n_s8(high, 8), low);
}
// Products, added in pairs of neighbouring lanes: 0 and 1, 2 and 3, and so on.
inline I32 dot(I16 a, I16 b) {
  return vpaddq_s32(vmull_s16(vget_low_s16(a), vget_low_s16(b)),
                    vmull_s16(vget_high_s16(a), vget_high_s16(b)));
}
inline I32 add(I32 a, I32 b) { return vaddq_s32(a, b); }
// Sums of neighbouring lanes: those of a, then those of b.
inline I32 add_pairwise(I32 a, I32 b) { return vpaddq_s32(a, b); }
inline void store(int32_t* p, I32 a) { vst1q_s32(p, a); }
inline F4 to_floats(I32 a) { return {vcvtq_f32_s32(a)}; }

#elif defined(BILLOW_SIMD_SSE)

using I16 = __m128i;
using I32 = __m128i;
inline I32 zero_sums() { return _mm_setzero_si128(); }
inline I16 load_widened(const int8_t* p) {
  const __m128i bytes = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(p));
  return _mm_srai_epi16(_mm_unpacklo_epi8(bytes, bytes), 8);
}
inline I16 load_q16(const QuantisedVector& quantised, size_t k) {
  return _mm_loadu_si128(reinterpret_cast<const __m128i*>(quantised.q16 + k));
}
inline I32 dot(I16 a, I16 b) { return _mm_madd_epi16(a, b); }
inline I32 add(I32 a, I32 b) { return _mm_add_epi32(a, b); }
inline I32 add_pairwise(I32 a, I32 b) {
  const __m128 x = _mm_castsi128_ps(a), y = _mm_castsi128_ps(b);
  return _mm_add_epi32(_mm_castps_si128(_mm_shuffle_ps(x, y, _MM_SHUFFLE(2, 0, 2, 0))),
                       _mm_castps_si128(_mm_shuffle_ps(x, y, _MM_SHUFFLE(3, 1, 3, 1))));
}
inline void store(int32_t* p, I32 a) { _mm_storeu_si128(reinterpret_cast<__m128i*>(p), a); }
inline F4 to_floats(I32 a) { return {_mm_cvtepi32_ps(a)}; }

#else

using I16 = v128_t;
using I32 = v128_t;
inline I32 zero_sums() { return wasm_i32x4_splat(0); }
inline I16 load_widened(const int8_t* p) { return wasm_i16x8_load8x8(p); }
inline I16 load_q16(const QuantisedVector& quantised, size_t k) { return wasm_v128_load(quantised.q16 + k); }
inline I32 dot(I16 a, I16 b) { return wasm_i32x4_dot_i16x8(a, b); }
inline I32 add(I32 a, I32 b) { return wasm_i32x4_add(a, b); }
inline I32 add_pairwise(I32 a, I32 b) {
  return wasm_i32x4_add(wasm_i32x4_shuffle(a, b, 0, 2, 4, 6), wasm_i32x4_shuffle(a, b, 1, 3, 5, 7));
}
inline void store(int32_t* p, I32 a) { wasm_v128_store(p, a); }
inline F4 to_floats(I32 a) { return {wasm_f32x4_convert_i32x4(a)}; }

#endif

}  // namespace billow::pairs

#endif
