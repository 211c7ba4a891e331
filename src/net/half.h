// float16 to float32: exact, so the same on every platform.
#pragma once

#include <bit>
#include <cstdint>

#include "core/simd.h"

namespace billow {

// For finite values only.
inline float from_half(uint16_t half) {
  const uint32_t sign = static_cast<uint32_t>(half & 0x8000) << 16, magnitude = half & 0x7fffu;
  // The exponent biases differ by 112. A product instead of an addition to the exponent handles subnormals
  // too.
  const float value = std::bit_cast<float>(magnitude << 13) * 0x1p112f;
  return std::bit_cast<float>(std::bit_cast<uint32_t>(value) | sign);
}

inline F4 load_half(const uint16_t* p) {
#if defined(BILLOW_SIMD_NEON)
  return {vcvt_f32_f16(vreinterpret_f16_u16(vld1_u16(p)))};
#else
  const float values[kLanes] = {from_half(p[0]), from_half(p[1]), from_half(p[2]), from_half(p[3])};
  return load(values);
#endif
}

}  // namespace billow
