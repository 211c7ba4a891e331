// Clips: a skeleton's poses at even times.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "body/skeleton.h"

namespace billow::motion {

using body::Pose;
using body::Skeleton;

struct Clip {
  std::string name;
  float frames_per_second = 30;
  std::vector<Pose> frames;
  bool loops = false;  // the first frame follows the last

  // Seconds from the first frame to the last, or to the first again where it loops.
  float duration() const;
};

// Throws std::invalid_argument that names the clip, the frame, what was expected and what was found.
void validate(const Skeleton& skeleton, const Clip& clip);

// Radians between two turns of unit length.
inline float angle_between(Quat a, Quat b) { return 2 * std::acos(std::min(1.0f, std::fabs(dot(a, b)))); }

// Between two poses: positions linearly, rotations along the shorter arc. `share` 0 is a, 1 is b.
Pose blend(const Pose& a, const Pose& b, float share);

// The pose at a time. Beyond the ends a clip that does not loop stands still.
Pose pose_at(const Clip& clip, float seconds);

// The same motion with another number of frames a second.
Clip resample(const Clip& clip, float frames_per_second);

}  // namespace billow::motion
