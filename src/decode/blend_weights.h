// How weights of linear blend skinning are stored: so many bones a vertex, and whole numbers that add up to this.
#pragma once

#include <cstddef>
#include <cstdint>

namespace billow {

inline constexpr size_t kBonesPerVertex = 4;
inline constexpr uint32_t kWholeWeight = 255;

}  // namespace billow
