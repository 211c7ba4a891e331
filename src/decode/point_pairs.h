// Points as x y z 0, two of eight at a time.
#pragma once

#include "core/wide.h"

namespace billow {

inline float* at(float* points, uint32_t index) { return points + 4 * size_t{index}; }

// Points k and k + 4 of eight in the halves of one register.
BILLOW_ALWAYS_INLINE F8 load_two(float* points, const uint32_t* nodes) {
  return F8(load(at(points, nodes[0])), load(at(points, nodes[kLanes])));
}
BILLOW_ALWAYS_INLINE void store_two(float* points, const uint32_t* nodes, F8 two) {
  store(at(points, nodes[0]), low_half(two)), store(at(points, nodes[kLanes]), high_half(two));
}

}  // namespace billow
