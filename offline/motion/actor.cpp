#include "motion/actor.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace billow::motion {

using body::kNoJoint;

V3 unit_or_zero(V3 v) {
  const float l = length(v);
  return l > 1e-9f ? v * (1 / l) : V3{0, 0, 0};
}

Quat rotation_between(V3 a, V3 b) {
  const float c = dot(a, b);
  if (c < -0.9999f) {
    // Opposite vectors: half a turn about any perpendicular axis.
    const V3 across = std::fabs(a.x) < 0.9f ? cross(a, {1, 0, 0}) : cross(a, {0, 1, 0});
    return body::rotation_about(across, 3.14159265f);
  }
  const V3 n = cross(a, b);
  return normalized(Quat{n.x, n.y, n.z, 1 + c});
}

float twist_angle(Quat rotation, V3 axis) {
  if (rotation.w < 0) rotation = {-rotation.x, -rotation.y, -rotation.z, -rotation.w};
  return 2 * std::atan2(dot(V3{rotation.x, rotation.y, rotation.z}, axis), rotation.w);
}

Actor::Actor(const Skeleton& s, const std::map<std::string, std::string>& parts, const std::string& which)
    : skeleton(s), human(find_human(s, parts)), rest(body::rest_transforms(s)) {
  for (const Part part : {Part::hips, Part::thigh, Part::calf, Part::foot})
    for (const size_t side : {kLeft, kRight})
      if ((side == kLeft || has_sides(part)) && !has(part, side))
        throw std::invalid_argument(which + ": expected a joint for the " + part_name(part, side) +
                                    ", found none; map it explicitly");
  leg = human.leg_length(s);
  if (!(leg > 0)) throw std::invalid_argument(which + ": expected legs of positive length, found 0");
  // Derive the facing direction from the line from right to left.
  V3 left = at_rest(Part::thigh, kLeft) - at_rest(Part::thigh, kRight);
  if (has(Part::upper_arm, kLeft) && has(Part::upper_arm, kRight))
    left += at_rest(Part::upper_arm, kLeft) - at_rest(Part::upper_arm, kRight);
  facing = rotation_between({1, 0, 0}, unit_or_zero(V3{left.x, 0, left.z}));
  for (const size_t side : {kLeft, kRight}) {
    int above = human.of(Part::foot, side);
    while (above != kNoJoint && above != human.of(Part::calf, side)) above = s.joints[index_of(above)].parent;
    foot_is_detached_[side] = above == kNoJoint;
  }
}

V3 Actor::heading(size_t side) const {
  V3 direction{0, 0, 0};
  if (has(Part::toes, side)) direction = at_rest(Part::toes, side) - at_rest(Part::foot, side);
  direction = unit_or_zero({direction.x, 0, direction.z});
  return length(direction) > 0 ? direction : forward();
}

std::vector<size_t> Actor::joints_in_order() const {
  std::vector<size_t> first, last_joints;
  std::vector<bool> deferred(skeleton.size(), false);  // detached feet and their descendants
  for (size_t j = 0; j < skeleton.size(); ++j) {
    const int parent = skeleton.joints[j].parent;
    deferred[j] = (parent != kNoJoint && deferred[index_of(parent)]) ||
                  (foot_is_detached_[kLeft] && j == joint(Part::foot, kLeft)) ||
                  (foot_is_detached_[kRight] && j == joint(Part::foot, kRight));
    (deferred[j] ? last_joints : first).push_back(j);
  }
  first.insert(first.end(), last_joints.begin(), last_joints.end());
  return first;
}

std::vector<Transform> Actor::forward_kinematics(Pose& pose) const {
  std::vector<Transform> joints = body::joint_transforms(skeleton, pose);
  if (!foot_is_detached_[kLeft] && !foot_is_detached_[kRight]) return joints;
  if (pose.offsets.empty())
    for (const body::Joint& j : skeleton.joints) pose.offsets.push_back(j.rest.position);
  for (const size_t side : {kLeft, kRight}) {
    const size_t foot = joint(Part::foot, side), calf = joint(Part::calf, side);
    const int parent = skeleton.joints[foot].parent;
    if (!foot_is_detached_[side] || parent == kNoJoint) continue;
    const V3 ankle = apply(joints[calf] * inverse(rest[calf]), rest[foot].position);
    pose.offsets[foot] = apply(inverse(joints[index_of(parent)]), ankle);
  }
  return body::joint_transforms(skeleton, pose);
}

V3 Actor::hip_centre(std::span<const Transform> joints) const {
  return (joints[joint(Part::thigh, kLeft)].position + joints[joint(Part::thigh, kRight)].position) * 0.5f;
}

float Actor::sole_height(std::span<const Transform> joints, size_t side) const {
  const size_t foot = joint(Part::foot, side);
  const V3 ankle = rest[foot].position, ahead = heading(side);
  // Heel and ball move with the foot, the toe tips with the toes.
  const V3 ball = has(Part::toes, side) ? at_rest(Part::toes, side) : ankle + ahead * (0.16f * leg);
  const float foot_length = length(V3{ball.x - ankle.x, 0, ball.z - ankle.z});
  const auto on_ground = [](V3 p) { return V3{p.x, 0, p.z}; };
  const auto height = [&](size_t j, V3 point) { return apply(joints[j] * inverse(rest[j]), point).y; };
  const size_t toes = has(Part::toes, side) ? joint(Part::toes, side) : foot;
  return std::min({height(foot, on_ground(ankle - ahead * (0.3f * foot_length))),
                   height(foot, on_ground(ball)),
                   height(toes, on_ground(ball + ahead * (0.6f * foot_length)))});
}

float Actor::hand_height(std::span<const Transform> joints, size_t side) const {
  const size_t hand = joint(Part::hand, side);
  const V3 wrist = rest[hand].position;
  // A hand is 0.108 of the height long, a leg 0.491: Drillis and Contini (1966).
  const V3 tip = wrist + unit_or_zero(wrist - at_rest(Part::forearm, side)) * (0.108f / 0.491f * leg);
  return std::min(joints[hand].position.y, apply(joints[hand] * inverse(rest[hand]), tip).y);
}

void Actor::lift(Part end, size_t side, float by, Pose& pose) const {
  const bool arm = end == Part::hand;
  const size_t upper = joint(arm ? Part::upper_arm : Part::thigh, side);
  const size_t lower = joint(arm ? Part::forearm : Part::calf, side), last = joint(end, side);
  const std::vector<Transform> joints = forward_kinematics(pose);
  const V3 a = joints[upper].position, b = joints[lower].position, c = joints[last].position;
  const float first = length(b - a), second = length(c - b);

  // Solve the triangle of the three joints in its plane.
  V3 direction = c + V3{0, by, 0} - a;
  const float reach =
      std::clamp(length(direction), std::fabs(first - second) + 1e-4f, first + second - 1e-4f);
  direction = unit_or_zero(direction);
  const auto across = [&](V3 v) { return v - direction * dot(v, direction); };
  V3 bend = across(b - a);
  if (length(bend) < 1e-3f * first)
    bend = across(rotate(rotation_from_rest(joints, upper), forward())) * (arm ? -1.0f : 1.0f);
  const float along = (first * first - second * second + reach * reach) / (2 * reach);
  const float aside = std::sqrt(std::max(0.0f, first * first - along * along));
  const V3 new_b = a + direction * along + unit_or_zero(bend) * aside, new_c = a + direction * reach;

  // Rotate both bones in model space; the end keeps its orientation.
  const Quat first_rotation = rotation_between(unit_or_zero(b - a), unit_or_zero(new_b - a));
  const Quat second_rotation =
      rotation_between(unit_or_zero(rotate(first_rotation, c - b)), unit_or_zero(new_c - new_b)) *
      first_rotation;
  const auto rotate_joint = [&](size_t j, Quat own, Quat parent_by) {
    const int parent = skeleton.joints[j].parent;
    const Quat above = parent == kNoJoint ? kIdentity : parent_by * joints[index_of(parent)].rotation;
    pose.rotations[j] = normalized(conjugate(normalized(above)) * (own * joints[j].rotation));
  };
  rotate_joint(upper, first_rotation, kIdentity);
  rotate_joint(lower, second_rotation, first_rotation);
  rotate_joint(last, kIdentity, !arm && foot_is_detached_[side] ? kIdentity : second_rotation);
}

}  // namespace billow::motion
