// Whole numbers and floats, there and back.
#pragma once

#include "core/simd.h"
#include "net/matrix.h"

namespace billow {

// Four whole numbers as floats, to the nearest.
inline F4 load_whole(const int32_t* p) {
#if defined(BILLOW_SIMD_NEON)
  return {vcvtq_f32_s32(vld1q_s32(p))};
#else
  const float values[kLanes] = {static_cast<float>(p[0]), static_cast<float>(p[1]), static_cast<float>(p[2]),
                                static_cast<float>(p[3])};
  return load(values);
#endif
}

// Numbers times `inverse`, within 127 * 256, to the nearest whole ones: as steps, and as their high and low bytes, steps =
// 256 * high + low. Halves go away from 0.
inline void put_steps(const float* numbers, uint32_t count, float inverse, const Factors& f) {
  uint32_t j = 0;
  int16_t* const all = f.steps;
  int8_t *const highs = f.high, *const lows = f.low;
#if defined(BILLOW_SIMD_NEON)
  const auto whole = [&](uint32_t at) {
    const float32x4_t x = vmulq_n_f32(vld1q_f32(numbers + at), inverse);
    const float32x4_t half = vbslq_f32(vcltq_f32(x, vdupq_n_f32(0)), vdupq_n_f32(-0.5f), vdupq_n_f32(0.5f));
    return vmovn_s32(vcvtq_s32_f32(vaddq_f32(x, half)));
  };
  for (; j + 8 <= count; j += 8) {
    const int16x8_t steps = vcombine_s16(whole(j), whole(j + 4));
    vst1q_s16(all + j, steps);
    vst1_s8(highs + j, vshrn_n_s16(vaddq_s16(steps, vdupq_n_s16(128)), 8));
    vst1_s8(lows + j, vmovn_s16(steps));
  }
#endif
  for (; j < count; ++j) {
    const float x = numbers[j] * inverse;
    const int step = static_cast<int>(x + (x < 0 ? -0.5f : 0.5f));
    const int high = (step + 128) >> 8;
    all[j] = static_cast<int16_t>(step);
    highs[j] = static_cast<int8_t>(high);
    lows[j] = static_cast<int8_t>(step - 256 * high);
  }
}

}  // namespace billow
