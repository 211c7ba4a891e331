// Baselines: skinning as engines do it, from the bones of the chains. Rotations are derived (bone_motion.h), weights are
// fitted to training frames. Linear blend: Magnenat-Thalmann, Laperriere and Thalmann 1988; dual quaternions: Kavan,
// Collins, Zara and O'Sullivan 2007.
#pragma once

#include <array>

#include "evaluate/bone_motion.h"
#include "evaluate/predictor.h"

namespace billow::evaluate {

inline constexpr size_t kBonesPerVertex = 4;

// Not negative, adding up to 1.
struct SkinWeights {
  std::array<uint32_t, kBonesPerVertex> bones{};
  std::array<float, kBonesPerVertex> weights{1, 0, 0, 0};
};

struct WeightOptions {
  size_t frames = 250;     // of the training frames, evenly spread, that they are fitted to
  size_t candidates = 12;  // bones nearest to a vertex at rest that it chooses from
  size_t threads = 0;      // 0: all cores
};
// One a vertex: those that bring linear blend skinning nearest to the training frames, with bones embedded in them.
std::vector<SkinWeights> fit_weights(const Frames& frames, const BoneMotion& motion,
                                     const WeightOptions& options);

// Where bones that move so take a point that is at `rest`.
V3 linear_blend(const SkinWeights& skin, std::span<const Transform> motions, V3 rest);
V3 dual_quaternion(const SkinWeights& skin, std::span<const Transform> motions, V3 rest);

// What is given to it has to outlive it.
enum class Skinning { kLinearBlend, kDualQuaternion };
Predictor skinned(std::string name, const Frames& frames, const BoneSource& source, const BoneMotion& motion,
                  std::span<const SkinWeights> weights, Skinning how);

}  // namespace billow::evaluate
