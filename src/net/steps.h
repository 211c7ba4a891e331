// Whole numbers and floats, there and back.
#pragma once

#include "core/simd.h"
#include "net/matrix.h"

namespace billow {

// Four numbers as floats; whole ones to the nearest.
inline F4 load_whole(const float* p) { return load(p); }
inline F4 load_whole(const int32_t* p) {
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

// As many as there are lanes.
template <class F, class Number> inline F load_whole_as(const Number* p) {
#if defined(BILLOW_SIMD_AVX2)
  if constexpr (std::is_same_v<F, F8> && std::is_same_v<Number, int32_t>)
    return F8(_mm256_cvtepi32_ps(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p))));
#endif
  if constexpr (std::is_same_v<F, F8>)
    return {load_whole(p), load_whole(p + kLanes)};
  else
    return load_whole(p);
}

// Numbers, by scales and by `inverse`, within 127 * 256: to the nearest whole ones, halves away from 0. `four` gives four numbers
// from one on; there are whole eights from `first` on.
template <class Four>
inline void put_steps(uint32_t first, uint32_t count, float inverse, const float* scales, Four four,
                      const Factors& f) {
#if defined(BILLOW_SIMD_NEON)
  // In a variable of its own, as a compiler cannot know that writing bytes does not change it.
  int8_t* const bytes = f.bytes;
  const auto whole = [&](uint32_t at) {
    return vmovn_s32(vcvtaq_s32_f32((four(at) * load(scales + at) * inverse).v));
  };
  for (uint32_t j = first; j < count; j += 8) {
    const int16x8_t s = vcombine_s16(whole(j), whole(j + 4));
    const int8x8_t high = vshrn_n_s16(vaddq_s16(s, vdupq_n_s16(128)), 8);
    vst1q_s8(bytes + 2 * size_t{j}, vcombine_s8(high, vmovn_s16(s)));
  }
#elif defined(BILLOW_SIMD_SSE)
  const auto whole = [&](uint32_t at) {
    const __m128 x = (four(at) * load(scales + at) * inverse).v;
    const __m128i toward_0 = _mm_cvttps_epi32(x);
    const __m128 rest = _mm_sub_ps(x, _mm_cvtepi32_ps(toward_0));
    const __m128 up = _mm_cmpge_ps(rest, _mm_set1_ps(0.5f)), down = _mm_cmple_ps(rest, _mm_set1_ps(-0.5f));
    return _mm_add_epi32(_mm_sub_epi32(toward_0, _mm_castps_si128(up)), _mm_castps_si128(down));
  };
  for (uint32_t j = first; j < count; j += 8)
    _mm_storeu_si128(reinterpret_cast<__m128i*>(f.steps + j), _mm_packs_epi32(whole(j), whole(j + 4)));
#elif defined(BILLOW_SIMD_WASM)
  const auto whole = [&](uint32_t at) {
    const v128_t x = (four(at) * load(scales + at) * inverse).v;
    const v128_t toward_0 = wasm_i32x4_trunc_sat_f32x4(x);
    const v128_t rest = wasm_f32x4_sub(x, wasm_f32x4_convert_i32x4(toward_0));
    const v128_t up = wasm_f32x4_ge(rest, wasm_f32x4_splat(0.5f)),
                 down = wasm_f32x4_le(rest, wasm_f32x4_splat(-0.5f));
    return wasm_i32x4_add(wasm_i32x4_sub(toward_0, up), down);
  };
  for (uint32_t j = first; j < count; j += 8)
    wasm_v128_store(f.steps + j, wasm_i16x8_narrow_i32x4(whole(j), whole(j + 4)));
#else
  for (uint32_t j = first; j < count; j += kLanes) {
    float numbers[kLanes];
    store(numbers, four(j) * load(scales + j) * inverse);
    for (uint32_t k = 0; k < kLanes; ++k) {
      int step = static_cast<int>(numbers[k]);
      const float rest = numbers[k] - static_cast<float>(step);
      step += (rest >= 0.5f) - (rest <= -0.5f);
      f.steps[j + k] = static_cast<int16_t>(step);
    }
  }
#endif
}

}  // namespace billow
