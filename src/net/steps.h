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

// Numbers, by scales and by `inverse`, within 127 * 256: to the nearest whole ones, halves away from 0. As steps, and as their
// high and low bytes, steps = 256 * high + low. `four` gives four numbers from one on; there are whole fours.
template <class Four>
inline void put_steps(uint32_t count, float inverse, const float* scales, Four four, const Factors& f) {
  // In variables of their own, as a compiler cannot know that writing bytes does not change them.
  int16_t* const steps = f.steps;
  int8_t *const high = f.high, *const low = f.low;
  uint32_t j = 0;
#if defined(BILLOW_SIMD_NEON)
  const auto whole = [&](uint32_t at) {
    return vmovn_s32(vcvtaq_s32_f32((four(at) * load(scales + at) * inverse).v));
  };
  const auto put = [&](int16x8_t s, uint32_t at) {
    vst1q_s16(steps + at, s);
    vst1_s8(high + at, vshrn_n_s16(vaddq_s16(s, vdupq_n_s16(128)), 8));
    vst1_s8(low + at, vmovn_s16(s));
  };
  for (; j + 8 <= count; j += 8) put(vcombine_s16(whole(j), whole(j + 4)), j);
  // There is room behind the last.
  if (j < count) put(vcombine_s16(whole(j), vdup_n_s16(0)), j);
#else
  for (; j < count; j += kLanes) {
    float numbers[kLanes];
    store(numbers, four(j) * load(scales + j) * inverse);
    for (uint32_t k = 0; k < kLanes; ++k) {
      int step = static_cast<int>(numbers[k]);
      const float rest = numbers[k] - static_cast<float>(step);
      step += (rest >= 0.5f) - (rest <= -0.5f);
      steps[j + k] = static_cast<int16_t>(step);
      high[j + k] = static_cast<int8_t>((step + 128) >> 8);
      low[j + k] = static_cast<int8_t>(step - 256 * high[j + k]);
    }
  }
#endif
}

}  // namespace billow
