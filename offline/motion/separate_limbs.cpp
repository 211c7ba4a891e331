#include "motion/separate_limbs.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "body/surface.h"

namespace billow::motion {
namespace {

constexpr float kLimbGap = 0.016f;       // m: two layers of cloth and their margins
constexpr float kTurnSmoothing = 0.08f;  // s, standard deviation of the filter over time
constexpr float kMaxTurn = 0.35f;        // radians per pass
constexpr int kTurnPasses = 8;
constexpr float kTurnOvershoot = 1.3f;  // the filter lowers peaks

// A limb that turns about its root joint: spheres along its capsules.
struct TurnedLimb {
  size_t root;
  struct Sphere {
    size_t joint;
    V3 rest;  // model space
    float radius;
  };
  std::vector<Sphere> spheres;
};

bool is_below(const body::Skeleton& skeleton, size_t joint, size_t root) {
  for (int j = static_cast<int>(joint); j != body::kNoJoint;
       j = skeleton.joints[static_cast<size_t>(j)].parent)
    if (j == static_cast<int>(root)) return true;
  return false;
}

TurnedLimb make_limb(const body::Person& person, const std::string& root) {
  TurnedLimb limb{static_cast<size_t>(person.skeleton.at(root)), {}};
  const V3 hinge = body::rest_transforms(person.skeleton)[limb.root].position;
  for (const billow_collider& c : person.colliders) {
    if (c.shape != BILLOW_SHAPE_TAPERED_CAPSULE || !is_below(person.skeleton, c.joint[0], limb.root))
      continue;
    for (const float t : {0.0f, 0.25f, 0.5f, 0.75f, 1.0f}) {
      const V3 from{c.position[0], c.position[1], c.position[2]}, to{c.end[0], c.end[1], c.end[2]};
      const V3 p = from + (to - from) * t;
      // Near its hinge a limb overlaps the trunk by design.
      if (length(p - hinge) > 0.15f)
        limb.spheres.push_back({c.joint[0], p, c.radius + (c.radius_end - c.radius) * t});
    }
  }
  return limb;
}

// What a limb must stay clear of: the limb that starts at `other`, or, if that is empty, trunk and legs. Without
// blends, which reach from the hips into the thighs.
std::vector<billow_collider> obstacles(const body::Person& person, const std::string& root,
                                       const std::string& other) {
  std::vector<billow_collider> out;
  const auto own = static_cast<size_t>(person.skeleton.at(root));
  for (billow_collider c : person.colliders) {
    if (is_below(person.skeleton, c.joint[0], own)) continue;
    if (!other.empty() &&
        !is_below(person.skeleton, c.joint[0], static_cast<size_t>(person.skeleton.at(other))))
      continue;
    if (other.empty() && c.group != BILLOW_COLLIDER_GROUP_TRUNK && c.group != BILLOW_COLLIDER_GROUP_LEG)
      continue;
    c.blend_with = BILLOW_NO_BLEND, c.blend_radius = 0;
    out.push_back(c);
  }
  return out;
}

// One limb against what it must stay clear of. Turns are rotation vectors in world space.
class Separation {
 public:
  Separation(const body::Person& person, const std::string& limb, const std::string& other)
      : skeleton_(person.skeleton),
        limb_(make_limb(person, limb)),
        rest_(body::rest_transforms(person.skeleton)),
        surface_(person.skeleton, obstacles(person, limb, other)) {}

  // How to turn the limb to leave the gap. Raises `overlap` to the deepest.
  V3 turn(std::span<const Transform> joints, float& overlap) {
    surface_.pose(joints);
    std::vector<V3> points;
    for (const TurnedLimb::Sphere& s : limb_.spheres)
      points.push_back(apply(joints[s.joint] * inverse(rest_[s.joint]), s.rest));
    std::vector<float> distances(points.size());
    std::vector<V3> gradients(points.size());
    surface_.query(points, distances, gradients);
    size_t worst = 0;
    for (size_t i = 0; i < points.size(); ++i)
      if (distances[i] - limb_.spheres[i].radius < distances[worst] - limb_.spheres[worst].radius) worst = i;
    const float gap = distances[worst] - limb_.spheres[worst].radius;
    overlap = std::max(overlap, -gap);
    if (gap >= kLimbGap) return {0, 0, 0};
    const V3 arm = points[worst] - joints[limb_.root].position;
    V3 turn = cross(arm, gradients[worst]) * ((kLimbGap - gap) / std::max(dot(arm, arm), 0.01f));
    const float angle = length(turn);
    return angle > kMaxTurn ? turn * (kMaxTurn / angle) : turn;
  }

  // Adds a turn in world space to the limb's root joint.
  void apply_turn(body::Pose& pose, std::span<const Transform> joints, V3 turn) const {
    const float angle = length(turn);
    if (!(angle > 1e-5f)) return;
    const int parent = skeleton_.joints[limb_.root].parent;
    const Quat to_world = joints[static_cast<size_t>(parent)].rotation;
    const V3 axis = rotate(conjugate(to_world), turn);
    pose.rotations[limb_.root] = normalized(body::rotation_about(axis, angle) * pose.rotations[limb_.root]);
  }

 private:
  const body::Skeleton& skeleton_;
  TurnedLimb limb_;
  std::vector<Transform> rest_;
  body::Surface surface_;
};

std::vector<V3> smoothed_turns(const std::vector<V3>& in, float frames) {
  const int reach = static_cast<int>(3 * frames);
  std::vector<V3> out(in.size(), V3{0, 0, 0});
  for (int f = 0; f < static_cast<int>(in.size()); ++f) {
    float sum = 0;
    for (int k = -reach; k <= reach; ++k) {
      const float w = std::exp(-0.5f * static_cast<float>(k * k) / (frames * frames));
      sum += w;
      out[static_cast<size_t>(f)] +=
          in[static_cast<size_t>(std::clamp(f + k, 0, static_cast<int>(in.size()) - 1))] * w;
    }
    out[static_cast<size_t>(f)] = out[static_cast<size_t>(f)] * (1 / sum);
  }
  return out;
}

}  // namespace

float separate_limbs(const body::Person& person, Clip& clip) {
  // Both legs share the way; arms leave the body, which stays.
  std::array<Separation, 4> limbs{
      Separation(person, "left_thigh", "right_thigh"), Separation(person, "right_thigh", "left_thigh"),
      Separation(person, "left_upper_arm", ""), Separation(person, "right_upper_arm", "")};
  const float frames = std::max(0.5f, kTurnSmoothing * clip.frames_per_second);
  float overlap = -kLimbGap;
  for (int pass = 0; pass < kTurnPasses; ++pass)
    for (size_t l = 0; l < limbs.size(); ++l) {
      std::vector<V3> turns;
      std::vector<std::vector<Transform>> joints;
      float found = -kLimbGap;
      for (const body::Pose& pose : clip.frames) {
        joints.push_back(body::joint_transforms(person.skeleton, pose));
        turns.push_back(limbs[l].turn(joints.back(), found) *
                        (l < 2 ? 0.5f * kTurnOvershoot : kTurnOvershoot));
      }
      if (pass == 0) overlap = std::max(overlap, found);
      if (found <= -kLimbGap) continue;
      turns = smoothed_turns(turns, frames);
      for (size_t f = 0; f < turns.size(); ++f) limbs[l].apply_turn(clip.frames[f], joints[f], turns[f]);
    }
  return overlap;
}

}  // namespace billow::motion
