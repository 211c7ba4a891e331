// Poses of the built-in person by what its joints do: flexion, abduction and turns in human ranges.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "body/person.h"
#include "body/skin.h"

namespace billow::body {

// What a joint can do: turns about up to three axes of the model at rest, the first outermost. Radians; 0 is
// the rest pose.
struct JointRange {
  int joint = 0;
  std::array<const char*, 3> names{};  // "flex", "raise", ...; nullptr: none
  std::array<V3, 3> axes{};
  std::array<float, 3> low{}, high{};
};

// Ranges of healthy adults, measured from the A-pose: American Academy of Orthopaedic Surgeons, "Joint
// Motion: Method of Measuring and Recording" (1965), the spine's spread over its joints.
std::vector<JointRange> joint_ranges(const Skeleton& person);

// One angle to set: {"left_thigh", "flex", 1.2f}.
struct Angle {
  const char* joint;
  const char* name;
  float radians;
};
// The rest pose with some angles changed. Angles out of range are brought back into it; throws
// std::invalid_argument for a joint or an angle that is not there.
Pose posture(const Skeleton& person, const std::vector<Angle>& angles);

struct NamedPose {
  std::string name;
  Pose pose;
};
// Stand, stride, squat, kick, arms up: for pictures and tests. Feet are on the ground.
std::vector<NamedPose> sample_poses(const Person& person);

// All angles random within `share` of their ranges, seeded, the same on every machine up to rounding. Poses
// in which a limb is inside another part of the body by more than 15 mm are drawn again.
Pose random_pose(const Person& person, uint32_t seed, float share = 0.8f);

// The person's skin, its weights fitted in random poses to the colliders.
Skin make_skin(const Person& person, const SkinOptions& options = {});

}  // namespace billow::body
