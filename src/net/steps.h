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
