// A skeleton with the parts of a human, and what retargeting has to know about its rest pose.
#pragma once

#include <array>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "motion/clip.h"
#include "motion/human.h"

namespace billow::motion {

inline constexpr Quat kUnturned{0, 0, 0, 1};

inline size_t place_of(int joint) { return static_cast<size_t>(joint); }
V3 unit_or_zero(V3 v);
// The shortest turn that takes one unit vector to another.
Quat turn_between(V3 a, V3 b);
// The angle by which a turn goes round a unit axis, from -pi to pi; what it does besides is left out.
float angle_about(Quat turn, V3 axis);

struct Actor {
  // Throws std::invalid_argument if there are no hips or no whole legs; `which` is named in the message.
  Actor(const Skeleton& skeleton, const std::map<std::string, std::string>& parts, const std::string& which);

  const Skeleton& skeleton;
  Human human;
  std::vector<Transform> rest;
  Quat facing = kUnturned;  // takes +z to where it faces at rest
  float leg = 0;            // m, from hip to ankle

  bool has(Part part, size_t side) const { return human.of(part, side) != body::kNoJoint; }
  size_t joint(Part part, size_t side = kLeft) const { return place_of(human.of(part, side)); }
  V3 at_rest(Part part, size_t side) const { return rest[joint(part, side)].position; }
  V3 forward() const { return rotate(facing, V3{0, 0, 1}); }
  // Where a foot points at rest: horizontal, of unit length.
  V3 heading(size_t side) const;
  // How far a joint has been turned from its rest, in the model's axes.
  Quat turned(std::span<const Transform> joints, size_t joint) const {
    return joints[joint].rotation * conjugate(rest[joint].rotation);
  }

  // All joints, parents first and feet after their calves.
  std::vector<size_t> joints_in_order() const;
  // Forward kinematics. Some characters' feet hang on the root, to be moved by themselves: they get offsets
  // that keep them on their calves.
  std::vector<Transform> place(Pose& pose) const;

  // The middle between both hip joints.
  V3 hip_centre(std::span<const Transform> joints) const;
  // The height of the lowest point of a sole that is flat on y = 0 at rest.
  float sole_height(std::span<const Transform> joints, size_t side) const;
  // The height of the lower end of a hand.
  float hand_height(std::span<const Transform> joints, size_t side) const;
  // Turns the two bones of a limb so that its end, a foot or a hand, comes up or down. Knee or elbow keep the
  // side they bend to, foot or hand their turn.
  void lift(Part end, size_t side, float by, Pose& pose) const;

 private:
  std::array<bool, 2> foot_is_loose_{};
};

}  // namespace billow::motion
