// Skeletons and poses: joints in a tree, and where they are when each is turned.
//
// Metres, right-handed, y up. A person faces +z, so that its left is +x.
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
  int parent = kNoJoint;  // an earlier joint; none for the first, which is the root
  Transform rest;         // relative to the parent; the root's is in model space
};

struct Skeleton {
  std::vector<Joint> joints;

  size_t size() const { return joints.size(); }
  // The joint's index, or kNoJoint.
  int find(std::string_view name) const;
  // The same for a joint that has to be there: throws std::invalid_argument with the name.
  int at(std::string_view name) const;
};

// One moment. Rotations replace those of the rest transforms. People's joints stay at their rest offsets; other
// characters' may move as well.
struct Pose {
  V3 root_position{0, 0, 0};
  std::vector<Quat> rotations;  // relative to the parent, one a joint
  std::vector<V3> offsets;      // from the parent, one a joint (the root's is not used); empty: as at rest
};

// Throws std::invalid_argument that names the joint, what was expected and what was found: a root, parents
// that stand before their children, names that are there and differ, finite transforms.
void validate(const Skeleton& skeleton);
// The same for a pose: as many rotations as joints, all finite and not zero; as many offsets, or none.
void validate(const Skeleton& skeleton, const Pose& pose);

Pose rest_pose(const Skeleton& skeleton);

// Forward kinematics: the joints in model space. Both have to be valid.
std::vector<Transform> joint_transforms(const Skeleton& skeleton, const Pose& pose);
std::vector<Transform> rest_transforms(const Skeleton& skeleton);

// A turn about an axis of any length, by the right hand.
Quat turn_about(V3 axis, float radians);

// The joints as the API takes them.
std::vector<billow_transform> to_api(std::span<const Transform> joints);

}  // namespace billow::body
