// Baselines: skinning as engines do it, from the bones of the chains. Rotations are derived (bone_motion.h), weights are
// fitted to training frames. Linear blend: Magnenat-Thalmann, Laperriere and Thalmann 1988; dual quaternions: Kavan,
// Collins, Zara and O'Sullivan 2007.
#pragma once

#include "evaluate/bone_motion.h"
#include "evaluate/predictor.h"
#include "learn/blend_weights.h"

namespace billow::evaluate {

using learn::BlendWeights;

struct WeightOptions {
  size_t frames = 250;     // of the training frames, evenly spread, that they are fitted to
  size_t candidates = 12;  // bones nearest to a vertex at rest that it chooses from
  size_t threads = 0;      // 0: all cores
};
// One a vertex: those that bring linear blend skinning nearest to the training frames, with bones embedded in them.
std::vector<BlendWeights> fit_weights(const Frames& frames, const BoneMotion& motion,
                                      const WeightOptions& options);

// Where bones that move so take points that are at `rest`.
std::vector<V3> linear_blend(std::span<const BlendWeights> skin, std::span<const Transform> motions,
                             std::span<const V3> rest);
std::vector<V3> dual_quaternion(std::span<const BlendWeights> skin, std::span<const Transform> motions,
                                std::span<const V3> rest);

// What is given to it has to outlive it.
enum class Skinning { kLinearBlend, kDualQuaternion };
Predictor skinned(std::string name, const Frames& frames, const BoneSource& source, const BoneMotion& motion,
                  std::span<const BlendWeights> weights, Skinning how);

}  // namespace billow::evaluate
