// float32 to float16, rounded to nearest, ties to even: the same on every platform.
#pragma once

#include <bit>
#include <cstdint>

#include "core/simd.h"

namespace billow {

// For finite values only. Values that are too large become the largest half.
inline uint16_t to_half(float value) {
  constexpr uint32_t kLargest = 0x477fe000;  // 65504
  const uint32_t bits = std::bit_cast<uint32_t>(value), sign = bits >> 16 & 0x8000u;
  uint32_t magnitude = bits & 0x7fffffffu;
  if (magnitude > kLargest) magnitude = kLargest;
  // Below 2^-14 halves are subnormal. Their spacing is that of floats from 1/2 to 1.
  if (magnitude < 0x38800000u)
    return static_cast<uint16_t>(sign | (std::bit_cast<uint32_t>(std::bit_cast<float>(magnitude) + 0.5f) -
                                         std::bit_cast<uint32_t>(0.5f)));
  magnitude += 0xfffu + (magnitude >> 13 & 1);
  return static_cast<uint16_t>(sign | (magnitude - 0x38000000u) >> 13);
}

// Four values.
inline void store_half(uint16_t* to, F4 values) {
#if defined(BILLOW_SIMD_NEON)
  vst1_u16(to, vreinterpret_u16_f16(vcvt_f16_f32(clamp(values, -65504.0f, 65504.0f).v)));
#else
  float each[kLanes];
  store(each, values);
  for (int k = 0; k < kLanes; ++k) to[k] = to_half(each[k]);
#endif
}

}  // namespace billow
