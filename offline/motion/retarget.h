// Motions of one skeleton on another whose joints have other names, places and rest poses.
//
// Turns are taken over as they differ from the rest pose, limbs are then aimed so that they point where the
// source's do. The way the hips go is scaled by the length of the legs, and feet that stand on the ground in
// the source are put on it. Jumps and noise of recorded motions are taken out.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "motion/clip.h"
#include "motion/human.h"

namespace billow::motion {

struct RetargetOptions {
  // Parts of either skeleton named outright: {"left upper arm", "Bip01 L UpperArm"}. The others are found.
  std::map<std::string, std::string> from_parts = {}, to_parts = {};
  float frames_per_second = 0;  // 0: those of the clip
  bool place_feet = true;       // puts standing feet on the ground, and takes those under it out
  float low_pass = 10;          // Hz: what is faster is taken for noise; 0: nothing is
};

struct RetargetReport {
  std::vector<std::pair<std::string, std::string>> mapped;  // joints of the target with those they follow
  std::vector<std::string> kept;                            // joints of the target that stay as at rest
  std::vector<std::string> unused;                          // joints of the source that nothing follows
  float scale = 1;                                          // of the way the hips go
};

// Both rest poses have to stand upright on y = 0 with limbs held alike, such as a T-pose and an A-pose, with
// feet flat. Throws std::invalid_argument where the skeletons have no hips and legs that can be found, and
// for a clip that does not fit `from`.
Clip retarget(const Skeleton& from, const Clip& clip, const Skeleton& to, const RetargetOptions& options = {},
              RetargetReport* report = nullptr);

}  // namespace billow::motion
