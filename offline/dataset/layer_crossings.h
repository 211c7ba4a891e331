// Where a garment passes through one that is worn under it.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "core/vec.h"

namespace billow::dataset {

struct ClothMesh {
  std::span<const float> positions;  // x y z
  std::span<const std::array<uint32_t, 3>> triangles;
};

struct LayerCrossings {
  size_t faces = 0;   // of the outer garment, that pass through the inner one
  float deepest = 0;  // m, by which the shorter end of an edge sticks through a face
};
LayerCrossings count_layer_crossings(const ClothMesh& outer, const ClothMesh& inner);

}  // namespace billow::dataset
