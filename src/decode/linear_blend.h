// Linear blend skinning, as engines have it: each vertex goes with a few bones, with a weight of each (Magnenat-Thalmann, Laperriere
// and Thalmann 1988). Evaluation and the frame have this in common.
#pragma once

#include "core/vec.h"
#include "decode/blend_weights.h"

namespace billow {

// A motion as columns, so that a point takes three products of lanes. The fourth lane is 0.
struct BlendMatrix {
  F4 x, y, z, moved;
};

// The motion, then scaled, then as the world has it.
inline BlendMatrix blend_matrix(const Transform& motion, const Transform& world = {}, float scale = 1) {
  const auto column = [](V3 v) {
    const float lanes[kLanes] = {v.x, v.y, v.z, 0};
    return load(lanes);
  };
  const auto turned = [&](V3 v) { return rotate(world.rotation, rotate(motion.rotation, v) * scale); };
  return {column(turned({1, 0, 0})), column(turned({0, 1, 0})), column(turned({0, 0, 1})),
          column(apply(world, motion.position * scale))};
}

// Where a vertex goes that rests at x y z. `per_weight`: 1 by what its weights add up to.
template <class Index, class Weight>
inline F4 blended(const BlendMatrix* matrices, const Index* bones, const Weight* weights, float per_weight,
                  const float* rest) {
  const F4 x = splat(rest[0]), y = splat(rest[1]), z = splat(rest[2]);
  F4 sum = zero();
  for (size_t k = 0; k < kBonesPerVertex; ++k) {
    const BlendMatrix& m = matrices[bones[k]];
    sum = sum + (m.x * x + m.y * y + m.z * z + m.moved) * (static_cast<float>(weights[k]) * per_weight);
  }
  return sum;
}

}  // namespace billow
