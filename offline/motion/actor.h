// A human skeleton as retargeting sees it: parts, rest pose, facing direction, and kinematics.
#pragma once

#include <array>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "motion/clip.h"
#include "motion/human.h"

namespace billow::motion {

inline constexpr Quat kIdentity{0, 0, 0, 1};

inline size_t index_of(int joint) { return static_cast<size_t>(joint); }
V3 unit_or_zero(V3 v);
// The shortest rotation from one unit vector to another.
Quat rotation_between(V3 a, V3 b);
// The twist of a rotation about a unit axis (swing-twist decomposition), from -pi to pi.
float twist_angle(Quat rotation, V3 axis);

struct Actor {
  // Throws std::invalid_argument unless hips and both legs are found; `which` names the skeleton in the
  // message.
  Actor(const Skeleton& skeleton, const std::map<std::string, std::string>& parts, const std::string& which);

  const Skeleton& skeleton;
  Human human;
  std::vector<Transform> rest;
  Quat facing = kIdentity;  // rotates +z to the facing direction at rest
  float leg = 0;            // m, from hip to ankle

  bool has(Part part, size_t side) const { return human.of(part, side) != body::kNoJoint; }
  size_t joint(Part part, size_t side = kLeft) const { return index_of(human.of(part, side)); }
  V3 at_rest(Part part, size_t side) const { return rest[joint(part, side)].position; }
  V3 forward() const { return rotate(facing, V3{0, 0, 1}); }
  // Direction of a foot at rest: horizontal, unit length.
  V3 heading(size_t side) const;
  // Rotation of a joint relative to its rest pose, in model space.
  Quat rotation_from_rest(std::span<const Transform> joints, size_t joint) const {
    return joints[joint].rotation * conjugate(rest[joint].rotation);
  }

  // All joints, parents before children and feet after their calves.
  std::vector<size_t> joints_in_order() const;
  // Forward kinematics. Feet that are not descendants of their calf (IK feet parented to the root in some
  // rigs) get offsets in `pose` that keep them attached to it.
  std::vector<Transform> forward_kinematics(Pose& pose) const;

  // Midpoint of both hip joints.
  V3 hip_centre(std::span<const Transform> joints) const;
  // Height of the lowest point of a sole, which is flat on y = 0 at rest.
  float sole_height(std::span<const Transform> joints, size_t side) const;
  // Height of the lower end of a hand.
  float hand_height(std::span<const Transform> joints, size_t side) const;
  // Two-bone IK that raises or lowers the end of a limb, a foot or a hand. Knee or elbow keep their bending
  // plane, foot or hand their orientation.
  void lift(Part end, size_t side, float by, Pose& pose) const;

 private:
  std::array<bool, 2> foot_is_detached_{};
};

}  // namespace billow::motion
