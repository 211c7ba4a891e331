// The baselines that networks are compared with (docs/evaluation.md): linear blend and dual quaternion
// skinning, the nearest training frame, and ridge regression. They learn from training frames only and take
// any bones.
//
// Dual quaternions: Kavan, Collins, Zara and O'Sullivan 2007.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "learn/blend_weights.h"
#include "research/comparison/predictor.h"

namespace billow::research {

using learn::BlendWeights;
using learn::BoneMotion;

// Skinned positions of points that are at `rest`.
std::vector<V3> dual_quaternion(std::span<const BlendWeights> skin, std::span<const Transform> motions,
                                std::span<const V3> rest);

// The arguments must outlive the predictor.
enum class Skinning { kLinearBlend, kDualQuaternion };
Predictor skinned(std::string name, const Frames& frames, const BoneSource& source, const BoneMotion& motion,
                  std::span<const BlendWeights> weights, Skinning method);

class Baselines {
 public:
  // `whole` is a basis of the whole cloth. `skinning` is an optional second one.
  Baselines(const Frames& frames, const learn::Basis& whole, const learn::Basis* skinning, size_t threads);

  // All baselines on the given bones, which must outlive them. For a symmetric garment there are two ridge
  // regressions: from the training frames, and from these with their mirror images.
  std::vector<Predictor> on(const BoneSource& source) const;

 private:
  const Frames& frames_;
  learn::Stage ridge_;
  std::optional<learn::Stage> mirrored_, skinning_;
  BoneMotion motion_;
  std::vector<BlendWeights> weights_;
};

inline constexpr const char* kRidge = "ridge";
inline constexpr const char* kMirroredRidge = "ridge, mirrored";

}  // namespace billow::research
