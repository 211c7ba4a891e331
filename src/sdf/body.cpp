#include "sdf/body.h"

namespace billow {
namespace {

// The transform of a collider for given joints: the weighted blend of the transforms that each joint alone
// would give it, which is rigid again.
Transform follow_joints(const Body& body, const Collider& c, const Transform* joints, float scale) {
  Transform sum{{0, 0, 0}, {0, 0, 0, 0}};
  Quat first{0, 0, 0, 1};
  bool have_first = false;
  for (int k = 0; k < kJointsPerCollider; ++k) {
    if (c.weight[k] == 0) continue;
    const Transform& joint = joints[c.joint[k]];
    Transform local = body.joint_rest_inverse[c.joint[k]] * c.rest;
    local.position = local.position * scale;
    Transform placed = joint * local;
    if (!have_first) first = placed.rotation;
    have_first = true;
    float sign = dot(first, placed.rotation) < 0 ? -c.weight[k] : c.weight[k];
    sum.position += placed.position * c.weight[k];
    sum.rotation = {sum.rotation.x + placed.rotation.x * sign, sum.rotation.y + placed.rotation.y * sign,
                    sum.rotation.z + placed.rotation.z * sign, sum.rotation.w + placed.rotation.w * sign};
  }
  sum.rotation = normalized(sum.rotation);
  return sum;
}

}  // namespace

void pose_body(Body& body, const Transform* joints, float scale, bool teleport) {
  bool restart = teleport || !body.posed;
  for (int i = 0; i < body.collider_count; ++i) {
    Transform next = follow_joints(body, body.colliders[i], joints, scale);
    body.before[i] = restart ? next : body.now[i];
    body.now[i] = next;
  }
  body.scale = scale;
  body.posed = true;
}

namespace {

float smallest(V3 v) { return v.x < v.y ? (v.x < v.z ? v.x : v.z) : (v.y < v.z ? v.y : v.z); }
float largest(V3 v) { return -smallest(-v); }

// Bounding sphere and thickness of a collider.
void bound(PosedCollider& p) {
  const Collider& c = *p.collider;
  p.bound_centre = p.transform.position;
  switch (c.shape) {
    case Shape::kSphere:
    case Shape::kCapsule:
    case Shape::kTaperedCapsule: {
      float end_radius = c.radius - c.taper * c.length;
      p.bound_centre = p.transform.position + p.axis * (0.5f * c.length * p.scale);
      p.bound_radius = (0.5f * c.length + (c.radius > end_radius ? c.radius : end_radius)) * p.scale;
      p.half_thickness = (c.radius < end_radius ? c.radius : end_radius) * p.scale;
      break;
    }
    case Shape::kEllipsoid:
      p.ellipsoid = ellipsoid_shape(c.half * p.scale);
      p.bound_radius = largest(c.half) * p.scale;
      p.half_thickness = smallest(c.half) * p.scale;
      break;
    case Shape::kBox:
      p.bound_radius = length(c.half) * p.scale;
      p.half_thickness = smallest(c.half) * p.scale;
      break;
    case Shape::kCustom:
    case Shape::kGrid:
    case Shape::kNeural:
      p.bound_radius = c.radius * p.scale;
      p.half_thickness = 0.5f * c.thickness * p.scale;
      break;
    case Shape::kHalfSpace:
      p.bound_radius = p.half_thickness = kFarAway;
      break;
  }
}

}  // namespace

PosedCollider pose_collider(const Collider& collider, float scale, const Transform& from, const Transform& to,
                            V3 common) {
  PosedCollider p;
  p.collider = &collider;
  p.blend_with = collider.blend_with;
  p.transform = to;
  p.rotation = to_matrix(to);
  p.axis = rotate(to.rotation, {0, 1, 0});
  p.scale = scale;
  p.centre_before = from.position;
  p.moving = !same(from, to);
  bound(p);
  p.travel = length(to.position - from.position - common);
  if (p.moving) {
    Quat delta = normalized(to.rotation * conjugate(from.rotation));
    p.delta_rotation = to_matrix({{0, 0, 0}, delta});
    // A rotation moves a point by twice the sine of half its angle per metre of lever arm.
    float arm = 2.0f * p.bound_radius + 0.3f;
    p.travel += 2.0f * std::sqrt(delta.x * delta.x + delta.y * delta.y + delta.z * delta.z) * arm;
  }
  return p;
}

}  // namespace billow
