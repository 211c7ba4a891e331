// Skeletons, poses and forward kinematics.
//
// Metres, right-handed, y up. A person faces +z, so its left is +x.
#pragma once

#include <billow/billow.h>

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/vec.h"

namespace billow::body {

inline constexpr int kNoJoint = -1;

struct Joint {
  std::string name;
  int parent = kNoJoint;  // index of an earlier joint; kNoJoint for joint 0, the root
  Transform rest;         // relative to the parent; the root's is in model space
};

struct Skeleton {
  std::vector<Joint> joints;

  size_t size() const { return joints.size(); }
  // Index of the named joint, or kNoJoint.
  int find(std::string_view name) const;
  // Index of the named joint. Throws std::invalid_argument if there is none.
  int at(std::string_view name) const;
};

// A pose replaces the rotations of the rest transforms. Imported characters may also animate joint offsets;
// the built-in person never does.
struct Pose {
  V3 root_position{0, 0, 0};
  std::vector<Quat> rotations;  // per joint, relative to the parent
  std::vector<V3> offsets;      // per joint, from the parent (the root's is ignored); empty: rest offsets
};

// Throws std::invalid_argument unless joint 0 is the only root, parents precede children, names are unique
// and not empty, and transforms are finite. The message names the joint.
void validate(const Skeleton& skeleton);
// Throws std::invalid_argument unless the pose has one finite, non-zero rotation per joint, and one finite
// offset per joint or none at all.
void validate(const Skeleton& skeleton, const Pose& pose);

Pose rest_pose(const Skeleton& skeleton);

// Forward kinematics: joint transforms in model space. The skeleton has to be valid; the pose is checked.
std::vector<Transform> joint_transforms(const Skeleton& skeleton, const Pose& pose);
std::vector<Transform> rest_transforms(const Skeleton& skeleton);
// The inverse of joint_transforms(): the pose, with offsets, of given joints.
Pose pose_of(const Skeleton& skeleton, std::span<const Transform> joints);

// Right-handed rotation about an axis of any length; identity for a zero axis.
Quat rotation_about(V3 axis, float radians);

// Converts to the type of the C API.
std::vector<billow_transform> to_api(std::span<const Transform> joints);

}  // namespace billow::body
