// Poses of the built-in person, from joint angles (flexion, abduction, twist) within human ranges.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "body/person.h"
#include "body/skin.h"

namespace billow::body {

// Degrees of freedom of a joint: rotations about up to three axes of model space at rest, the first
// outermost. Radians; 0 is the rest pose.
struct JointRange {
  int joint = 0;
  std::array<const char*, 3> names{};  // "flex", "raise", ...; nullptr: unused
  std::array<V3, 3> axes{};
  std::array<float, 3> low{}, high{};
};

// Ranges of healthy adults relative to the A-pose, from American Academy of Orthopaedic Surgeons, "Joint
// Motion: Method of Measuring and Recording" (1965); those of the spine are divided among its joints.
std::vector<JointRange> joint_ranges(const Skeleton& person);

// The value of one degree of freedom: {"left_thigh", "flex", 1.2f}.
struct Angle {
  const char* joint;
  const char* name;
  float radians;
};
// The rest pose with some angles changed, clamped to their ranges. Throws std::invalid_argument for an
// unknown joint or angle.
Pose posture(const Skeleton& person, const std::vector<Angle>& angles);

struct NamedPose {
  std::string name;
  Pose pose;
};
// Stand, stride, squat, kick, arms up: for images and tests. The feet touch the ground.
std::vector<NamedPose> sample_poses(const Person& person);

// Random angles within `share` of their ranges, the same for a seed on every machine up to rounding. Poses in
// which a limb penetrates another part of the body by more than 15 mm are rejected and redrawn.
Pose random_pose(const Person& person, uint32_t seed, float share = 0.8f);

// The person's skin, with weights fitted to the colliders in random poses.
Skin make_skin(const Person& person, const SkinOptions& options = {});

}  // namespace billow::body
