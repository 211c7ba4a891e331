// Weights of linear blend skinning (Magnenat-Thalmann, Laperriere and Thalmann 1988), fitted to training frames. It is driven
// by the bones of the chains, whose rotations are derived as in the runtime (decode/bone_motion.h).
#pragma once

#include <span>
#include <vector>

#include "decode/bone_motion.h"
#include "garment/garment.h"
#include "learn/frames.h"

namespace billow::learn {

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

}  // namespace billow::learn
