// Motion clips: poses at a fixed frame rate, blending, resampling and seamless loops.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
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

  // Seconds from the first frame to the last; of a looping clip, to the first frame again.
  float duration() const;
};

// Throws std::invalid_argument naming the clip and the frame.
void validate(const Skeleton& skeleton, const Clip& clip);

// Angle in radians between two unit quaternions.
inline float angle_between(Quat a, Quat b) { return 2 * std::acos(std::min(1.0f, std::fabs(dot(a, b)))); }

// Interpolates two poses: positions linearly, rotations by slerp. `share` 0 is a, 1 is b.
Pose blend(const Pose& a, const Pose& b, float share);

// The interpolated pose at a time. A clip that does not loop is clamped at both ends.
Pose pose_at(const Clip& clip, float seconds);

// The same motion at another frame rate.
Clip resample(const Clip& clip, float frames_per_second);

// A rigid motion on the ground: a rotation about y, then a translation in x and z.
struct GroundTransform {
  float x = 0, z = 0;
  float turn = 0;  // radians

  Pose operator()(const Pose& pose) const;
};

// The transform that maps ground position and heading of `from` to those of `to`.
GroundTransform ground_transform(const Pose& from, const Pose& to);

// A clip that can repeat for ever: its last frame equals frame `first` up to a GroundTransform.
struct Loop {
  Clip clip;
  size_t first = 0;  // frame to continue with after the last one
};

// Finds the two most similar frames at least `min_seconds` apart, the earlier not before `begin_seconds`.
// Cuts the clip at the later one and cross-fades it into the frames before the earlier one. Throws
// std::invalid_argument if the clip is too short.
Loop make_loop(const Clip& clip, double begin_seconds, double min_seconds);

}  // namespace billow::motion
