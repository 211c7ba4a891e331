#include "sdf/body.h"

namespace billow {
namespace {

// Where a collider is when its joints are at `joints`: the weighted blend of the places each joint would take
// it to, which is rigid again.
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

PosedCollider pose_collider(const Collider& collider, float scale, const Transform& from,
                            const Transform& to) {
  PosedCollider p;
  p.collider = &collider;
  p.transform = to;
  p.rotation = to_matrix(to);
  p.axis = rotate(to.rotation, {0, 1, 0});
  p.scale = scale;
  p.centre_before = from.position;
  p.moving = !same(from, to);
  if (p.moving) p.turn = to_matrix({{0, 0, 0}, normalized(to.rotation * conjugate(from.rotation))});
  // Bound it by a sphere.
  p.bound_centre = to.position;
  switch (collider.shape) {
    case Shape::kSphere:
    case Shape::kCapsule:
    case Shape::kTaperedCapsule: {
      float end_radius = collider.radius - collider.taper * collider.length;
      float widest = collider.radius > end_radius ? collider.radius : end_radius;
      p.bound_centre = to.position + p.axis * (0.5f * collider.length * scale);
      p.bound_radius = (0.5f * collider.length + widest) * scale;
      break;
    }
    case Shape::kEllipsoid: {
      V3 h = collider.half;
      p.bound_radius = scale * (h.x > h.y ? (h.x > h.z ? h.x : h.z) : (h.y > h.z ? h.y : h.z));
      break;
    }
    case Shape::kBox:
      p.bound_radius = length(collider.half) * scale;
      break;
    case Shape::kCustom:
      p.bound_radius = collider.radius * scale;
      break;
    case Shape::kHalfSpace:
      p.bound_radius = kFarAway;
      break;
  }
  return p;
}

}  // namespace billow
