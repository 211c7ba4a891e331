// Conversions between floats and integers for quantised products (matrix.h).
#pragma once

#include <cmath>

#include "core/simd.h"
#include "net/matrix.h"

namespace billow {

// Four values as floats; int32 rounds to the nearest float.
inline F4 load_as_floats(const float* p) { return load(p); }
inline F4 load_as_floats(const int32_t* p) {
#if defined(BILLOW_SIMD_NEON)
  return {vcvtq_f32_s32(vld1q_s32(p))};
#elif defined(BILLOW_SIMD_SSE)
  return {_mm_cvtepi32_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)))};
#elif defined(BILLOW_SIMD_WASM)
  return {wasm_f32x4_convert_i32x4(wasm_v128_load(p))};
#else
  const float values[kLanes] = {static_cast<float>(p[0]), static_cast<float>(p[1]), static_cast<float>(p[2]),
                                static_cast<float>(p[3])};
  return load(values);
#endif
}

// The same, one value per lane of F.
template <class F, class Value> inline F load_lanes_as_floats(const Value* p) {
#if defined(BILLOW_SIMD_AVX2)
  if constexpr (std::is_same_v<F, F8> && std::is_same_v<Value, int32_t>)
    return F8(_mm256_cvtepi32_ps(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p))));
#endif
  if constexpr (std::is_same_v<F, F8>)
    return {load_as_floats(p), load_as_floats(p + kLanes)};
  else
    return load_as_floats(p);
}

// The largest float below 0.5. Adding it to the magnitude and truncating rounds to nearest, halves away from
// 0.
inline constexpr float kAlmostHalf = 0x1.fffffep-2f;

// Quantises the activations of stored int8 columns [first, count): q16 = round(value * scale * inverse),
// halves away from 0, where `inverse` is 1 / q_scale and no |q16| exceeds 127 * 256. `four(j)` returns the
// values of columns j to j + 3. The columns are whole groups of eight. ARM stores high and low bytes instead
// of q16.
template <class Four>
inline void quantise_range(uint32_t first, uint32_t count, float inverse, const float* scales, Four four,
                           const QuantisedVector& quantised) {
#if defined(BILLOW_SIMD_NEON)
  // A local copy, because the compiler has to assume that stores to bytes alias the pointer.
  int8_t* const bytes = quantised.bytes;
  const auto rounded = [&](uint32_t at) {
    return vmovn_s32(vcvtaq_s32_f32((four(at) * load(scales + at) * inverse).v));
  };
  for (uint32_t j = first; j < count; j += 8) {
    const int16x8_t s = vcombine_s16(rounded(j), rounded(j + 4));
    const int8x8_t high = vshrn_n_s16(vaddq_s16(s, vdupq_n_s16(128)), 8);
    vst1q_s8(bytes + 2 * size_t{j}, vcombine_s8(high, vmovn_s16(s)));
  }
#elif defined(BILLOW_SIMD_AVX2)
  for (uint32_t j = first; j < count; j += 8) {
    const __m256 x = (F8(four(j), four(j + 4)) * load8(scales + j) * inverse).v;
    const __m256 half = _mm256_or_ps(_mm256_and_ps(x, _mm256_set1_ps(-0.0f)), _mm256_set1_ps(kAlmostHalf));
    const __m256i rounded = _mm256_cvttps_epi32(_mm256_add_ps(x, half));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(quantised.q16 + j),
                     _mm_packs_epi32(_mm256_castsi256_si128(rounded), _mm256_extracti128_si256(rounded, 1)));
  }
#elif defined(BILLOW_SIMD_SSE)
  const auto rounded = [&](uint32_t at) {
    const __m128 x = (four(at) * load(scales + at) * inverse).v;
    const __m128 half = _mm_or_ps(_mm_and_ps(x, _mm_set1_ps(-0.0f)), _mm_set1_ps(kAlmostHalf));
    return _mm_cvttps_epi32(_mm_add_ps(x, half));
  };
  for (uint32_t j = first; j < count; j += 8)
    _mm_storeu_si128(reinterpret_cast<__m128i*>(quantised.q16 + j),
                     _mm_packs_epi32(rounded(j), rounded(j + 4)));
#elif defined(BILLOW_SIMD_WASM)
  const auto rounded = [&](uint32_t at) {
    const v128_t x = (four(at) * load(scales + at) * inverse).v;
    const v128_t half =
        wasm_v128_or(wasm_v128_and(x, wasm_f32x4_splat(-0.0f)), wasm_f32x4_splat(kAlmostHalf));
    return wasm_i32x4_trunc_sat_f32x4(wasm_f32x4_add(x, half));
  };
  for (uint32_t j = first; j < count; j += 8)
    wasm_v128_store(quantised.q16 + j, wasm_i16x8_narrow_i32x4(rounded(j), rounded(j + 4)));
#else
  for (uint32_t j = first; j < count; j += kLanes) {
    float values[kLanes];
    store(values, four(j) * load(scales + j) * inverse);
    for (uint32_t k = 0; k < kLanes; ++k)
      quantised.q16[j + k] = static_cast<int16_t>(values[k] + std::copysign(kAlmostHalf, values[k]));
  }
#endif
}

}  // namespace billow
