// Points as x y z 0, two of eight at a time.
#pragma once

#include "core/wide.h"

namespace billow {

inline float* at(float* points, uint32_t index) { return points + 4 * size_t{index}; }

// Where a node's point is, in bytes: tables of nodes hold that, because x86-64 has no address of 16 times an index.
inline constexpr uint32_t kPointBytes = 4 * sizeof(float);
inline float* at_byte(float* points, uint32_t byte) {
  return reinterpret_cast<float*>(reinterpret_cast<char*>(points) + byte);
}

// Points k and k + 4 of eight in the halves of one register.
BILLOW_ALWAYS_INLINE F8 load_two(float* points, const uint32_t* bytes) {
  return F8(load(at_byte(points, bytes[0])), load(at_byte(points, bytes[kLanes])));
}
BILLOW_ALWAYS_INLINE void store_two(float* points, const uint32_t* bytes, F8 two) {
  store(at_byte(points, bytes[0]), low_half(two)), store(at_byte(points, bytes[kLanes]), high_half(two));
}

}  // namespace billow
