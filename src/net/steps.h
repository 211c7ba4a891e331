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
#else
  const float values[kLanes] = {static_cast<float>(p[0]), static_cast<float>(p[1]), static_cast<float>(p[2]),
                                static_cast<float>(p[3])};
  return load(values);
#endif
}

// Numbers, by scales and by `inverse`, within 127 * 256: to the nearest whole ones, halves away from 0. As steps, and as their
// high and low bytes, steps = 256 * high + low. `four` gives four numbers from one on; there are whole fours from `first` on.
template <class Four>
inline void put_steps(uint32_t first, uint32_t count, float inverse, const float* scales, Four four,
                      const Factors& f) {
  // In variables of their own, as a compiler cannot know that writing bytes does not change them.
  int16_t* const steps = f.steps;
  int8_t *const high = f.high, *const low = f.low;
  uint32_t j = first;
#if defined(BILLOW_SIMD_NEON)
  const auto whole = [&](uint32_t at) {
    return vmovn_s32(vcvtaq_s32_f32((four(at) * load(scales + at) * inverse).v));
  };
  const auto eight = [&](uint32_t at) { return vcombine_s16(whole(at), whole(at + 4)); };
  const auto highs = [](int16x8_t s) { return vshrn_n_s16(vaddq_s16(s, vdupq_n_s16(128)), 8); };
  // Sixteen at a time, because that is how they are read: bytes that were just written apart cannot be read as one.
  for (; j + 16 <= count; j += 16) {
    const int16x8_t a = eight(j), b = eight(j + 8);
    vst1q_s16(steps + j, a), vst1q_s16(steps + j + 8, b);
    vst1q_s8(high + j, vcombine_s8(highs(a), highs(b)));
    vst1q_s8(low + j, vcombine_s8(vmovn_s16(a), vmovn_s16(b)));
  }
  for (; j < count; j += 8) {
    // There is room behind the last.
    const int16x8_t s = j + 8 <= count ? eight(j) : vcombine_s16(whole(j), vdup_n_s16(0));
    vst1q_s16(steps + j, s);
    vst1_s8(high + j, highs(s));
    vst1_s8(low + j, vmovn_s16(s));
  }
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
