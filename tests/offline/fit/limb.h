// A limb of two capsules on two joints, for tests of fitting.
#pragma once

#include <vector>

#include "body/skeleton.h"
#include "body/skin.h"
#include "fit/fit_colliders.h"

namespace billow::testing {

struct Limb {
  body::Skeleton skeleton;
  std::vector<fit::NamedCollider> colliders;

  std::vector<billow_collider> shapes() const {
    std::vector<billow_collider> out;
    for (const fit::NamedCollider& c : colliders) out.push_back(c.collider);
    return out;
  }
};

inline fit::NamedCollider capsule(const char* name, uint32_t joint, V3 from, V3 to, float radius,
                                  float radius_end) {
  fit::NamedCollider out;
  out.name = name;
  billow_collider& c = out.collider;
  c.shape = BILLOW_SHAPE_TAPERED_CAPSULE;
  c.position[0] = from.x, c.position[1] = from.y, c.position[2] = from.z;
  c.end[0] = to.x, c.end[1] = to.y, c.end[2] = to.z;
  c.radius = radius, c.radius_end = radius_end;
  c.joint[0] = joint;
  return out;
}

// 70 cm long along x, bent at the lower joint.
inline Limb make_limb() {
  Limb limb;
  limb.skeleton.joints = {{"upper", body::kNoJoint, {{0.1f, 1, 0}, {0, 0, 0, 1}}},
                          {"lower", 0, {{0.35f, 0, 0}, {0, 0, 0, 1}}}};
  limb.colliders = {capsule("upper", 0, {0.1f, 1, 0}, {0.45f, 1, 0}, 0.08f, 0.05f),
                    capsule("lower", 1, {0.45f, 1, 0}, {0.7f, 0.9f, 0.05f}, 0.05f, 0.03f)};
  limb.colliders[1].collider.blend_with = 0;
  limb.colliders[1].collider.blend_radius = 0.02f;
  return limb;
}

// Poses with rotations of the lower joint.
inline std::vector<body::Pose> bends(const Limb& limb, std::initializer_list<float> angles) {
  std::vector<body::Pose> out;
  for (const float angle : angles) {
    out.push_back(rest_pose(limb.skeleton));
    out.back().rotations[1] = body::rotation_about({0, 0.3f, 1}, angle);
  }
  return out;
}

}  // namespace billow::testing
