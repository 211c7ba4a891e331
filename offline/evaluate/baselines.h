// The baselines that networks are compared with (docs/evaluation.md): linear blend and dual quaternion
// skinning, the nearest training frame, and ridge regression. They learn from training frames only and take
// any bones.
//
// Skinning is driven by the bones of the chains. Bone rotations are derived as in the runtime
// (decode/bone_motion.h), weights are fitted to training frames. Linear blend: Magnenat-Thalmann, Laperriere
// and Thalmann 1988; dual quaternions: Kavan, Collins, Zara and O'Sullivan 2007.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "decode/bone_motion.h"
#include "evaluate/predictor.h"
#include "garment/garment.h"
#include "learn/model.h"

namespace billow::evaluate {

// Rigid motions of a garment's bones.
class BoneMotion {
 public:
  explicit BoneMotion(const garment::Garment& garment);

  // The motion of each bone from rest, for displacements of three floats per bone.
  std::vector<Transform> from(std::span<const float> displacements) const;
  std::span<const V3> rest() const { return rest_; }

 private:
  std::vector<V3> rest_;
  std::vector<BoneAxes> axes_;
  std::vector<BoneFollower> followers_;
};

using learn::BlendWeights;

struct WeightOptions {
  size_t frames = 250;     // training frames to fit to, evenly spaced
  size_t candidates = 12;  // bones considered per vertex: the nearest at rest
  size_t threads = 0;      // 0: all cores
};
// Fits the weights of each vertex: least squares of linear blend skinning on training frames, with embedded
// bones.
std::vector<BlendWeights> fit_weights(const Frames& frames, const BoneMotion& motion,
                                      const WeightOptions& options);

// Skinned positions of points that are at `rest`.
std::vector<V3> linear_blend(std::span<const BlendWeights> skin, std::span<const Transform> motions,
                             std::span<const V3> rest);
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

}  // namespace billow::evaluate
