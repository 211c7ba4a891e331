#include "runtime/near_colliders.h"

#include <algorithm>

namespace billow {
namespace {

// Radius, at scale 1, of a sphere about the position that holds the collider, however it turns.
float extent_of(const Collider& c) {
  switch (c.shape) {
    case Shape::kSphere:
    case Shape::kCapsule:
    case Shape::kTaperedCapsule:
      return c.length + std::max(c.radius, c.radius - c.taper * c.length);
    case Shape::kEllipsoid:
      return std::max(c.half.x, std::max(c.half.y, c.half.z));
    case Shape::kBox:
      return length(c.half);
    default:
      return c.radius;
  }
}

bool half_space_comes_near(const NearCollider& n, const Region& cloth, float within) {
  // Where it turns, its position may be anywhere.
  if (!same({{0, 0, 0}, n.from.rotation}, {{0, 0, 0}, n.to.rotation})) return true;
  const V3 normal = rotate(n.to.rotation, {0, 1, 0});
  return std::min(dot(normal, cloth.centre - n.from.position), dot(normal, cloth.centre - n.to.position)) <
         within;
}

bool comes_near(const NearCollider& n, const Region& cloth) {
  const Collider& c = *n.collider;
  if (c.shape == Shape::kHalfSpace) return half_space_comes_near(n, cloth, cloth.radius + c.reach * n.scale);
  // Its position goes straight.
  const V3 path = n.to.position - n.from.position, to_centre = cloth.centre - n.from.position;
  const float path2 = dot(path, path),
              t = path2 > 0 ? std::clamp(dot(to_centre, path) / path2, 0.0f, 1.0f) : 0.0f;
  const V3 apart = to_centre - path * t;
  const float within = cloth.radius + (extent_of(c) + c.reach) * n.scale;
  return dot(apart, apart) < within * within;
}

NearCollider place(const Body& body, int k, const ColliderStart& start) {
  NearCollider n;
  n.collider = &body.colliders[k];
  n.scale = body.scale;
  n.changes = body.changes;
  n.to = body.now[k];
  n.from = start.at_end ? n.to : start.motion ? *start.motion * body.before[k] : body.before[k];
  return n;
}

}  // namespace

int find_near_colliders(const Bodies& bodies, const Region& cloth, const ColliderStart& start,
                        NearCollider* out) {
  int count = 0, first = 0;
  for (int b = bodies.body ? -1 : 0; b < bodies.other_count; ++b) {
    const Body& body = b < 0 ? *bodies.body : *bodies.others[b];
    int16_t found[kMaxColliders];  // place in the list by index within the body; -1: not near
    for (int k = 0; k < body.collider_count; ++k) {
      NearCollider n = place(body, k, start);
      found[k] = -1;
      if (b >= 0 && !comes_near(n, cloth)) continue;
      n.index = first + k;
      const int with = n.collider->blend_with;
      n.blend_with = with >= 0 ? found[with] : -1;
      found[k] = static_cast<int16_t>(count);
      out[count++] = n;
    }
    first += body.collider_count;
  }
  return count;
}

PosedCollider pose_collider(const NearCollider& near, const Transform& from, const Transform& to, V3 common) {
  PosedCollider posed = pose_collider(*near.collider, near.scale, from, to, common);
  posed.blend_with = near.blend_with;
  return posed;
}

}  // namespace billow
