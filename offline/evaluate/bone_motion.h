// Rigid motions of a garment's bones, as the runtime derives them for skinning: decode/bone_motion.h.
#pragma once

#include <span>
#include <vector>

#include "decode/bone_motion.h"
#include "garment/garment.h"

namespace billow::evaluate {

class BoneMotion {
 public:
  explicit BoneMotion(const garment::Garment& garment);

  // From the rest to the places that displacements (three numbers a bone) lead to, one motion a bone.
  std::vector<Transform> from(std::span<const float> displacements) const;
  std::span<const V3> rest() const { return rest_; }

 private:
  std::vector<V3> rest_;
  std::vector<BoneAxes> axes_;
  std::vector<BoneFollower> followers_;
};

}  // namespace billow::evaluate
