// Retargets motions between skeletons with different joint names, proportions and rest poses.
//
// Rotations are transferred relative to the rest poses; limbs are then aimed along the source's limbs. Root
// motion is scaled by leg length, and feet in contact in the source are placed on the ground. Jumps and noise
// of captured motions are filtered.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "motion/clip.h"
#include "motion/human.h"

namespace billow::motion {

struct RetargetOptions {
  // Explicit mappings of parts: {"left upper arm", "Bip01 L UpperArm"}. Other parts are found by
  // find_human().
  std::map<std::string, std::string> from_parts = {}, to_parts = {};
  float frames_per_second = 0;  // 0: that of the clip
  bool place_feet = true;       // put feet in contact on the ground and remove ground penetration
  float low_pass = 10;          // Hz, cut-off of the low-pass filter; 0: no filter
};

struct RetargetReport {
  std::vector<std::pair<std::string, std::string>>
      mapped;                       // target joints with the source joints that drive them
  std::vector<std::string> kept;    // target joints that keep their rest rotation
  std::vector<std::string> unused;  // source joints that drive none
  float scale = 1;                  // of the root motion
};

// Both rest poses have to stand upright on y = 0 with flat feet and similar limbs, such as a T-pose and an
// A-pose. Throws std::invalid_argument if hips and legs are not found in a skeleton, or the clip does not
// match `from`.
Clip retarget(const Skeleton& from, const Clip& clip, const Skeleton& to, const RetargetOptions& options = {},
              RetargetReport* report = nullptr);

}  // namespace billow::motion
