// Which bones a vertex goes with in linear blend skinning, as evaluation fits them and garment files keep them.
#pragma once

#include <array>

#include "decode/linear_blend.h"

namespace billow::learn {

// Not negative, adding up to 1.
struct BlendWeights {
  std::array<uint32_t, kBonesPerVertex> bones{};
  std::array<float, kBonesPerVertex> weights{1, 0, 0, 0};
};

}  // namespace billow::learn
