// Storage of linear blend skinning weights: bones per vertex, and the sum of a vertex's integer weights.
#pragma once

#include <cstddef>
#include <cstdint>

namespace billow {

inline constexpr size_t kBonesPerVertex = 4;
inline constexpr uint32_t kBlendWeightSum = 255;

}  // namespace billow
