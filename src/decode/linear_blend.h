// Linear blend skinning, as engines have it: each vertex follows a few bones by weights (Magnenat-Thalmann,
// Laperriere and Thalmann 1988). Shared by evaluation and runtime.
#pragma once

#include "core/vec.h"
#include "decode/blend_weights.h"

namespace billow {

// A transform as matrix columns, so that a point takes three lane products. The fourth lane is 0.
struct BlendMatrix {
  F4 x, y, z, translation;
};

// The bone's motion, then the scale, then the world transform.
inline BlendMatrix blend_matrix(const Transform& motion, const Transform& world = {}, float scale = 1) {
  const auto column = [](V3 v) {
    const float lanes[kLanes] = {v.x, v.y, v.z, 0};
    return load(lanes);
  };
  const auto rotated = [&](V3 v) { return rotate(world.rotation, rotate(motion.rotation, v) * scale); };
  return {column(rotated({1, 0, 0})), column(rotated({0, 1, 0})), column(rotated({0, 0, 1})),
          column(apply(world, motion.position * scale))};
}

// Skinned position of a vertex at `rest` (x y z). `per_weight` is 1 / sum of its weights.
template <class Index, class Weight>
inline F4 blended(const BlendMatrix* matrices, const Index* bones, const Weight* weights, float per_weight,
                  const float* rest) {
  const F4 x = splat(rest[0]), y = splat(rest[1]), z = splat(rest[2]);
  F4 sum = zero();
  for (size_t k = 0; k < kBonesPerVertex; ++k) {
    const BlendMatrix& m = matrices[bones[k]];
    sum = sum + (m.x * x + m.y * y + m.z * z + m.translation) * (static_cast<float>(weights[k]) * per_weight);
  }
  return sum;
}

}  // namespace billow
