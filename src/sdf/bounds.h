// Bounding capsules of a body's colliders as structure of arrays, so that four are tested at a time.
#pragma once

#include <cstdint>

#include "sdf/body.h"

namespace billow {

struct ColliderBounds {
  int count = 0;
  // Start, unit axis, length, radius (the reach of blends included).
  float x[kMaxColliders], y[kMaxColliders], z[kMaxColliders], ux[kMaxColliders], uy[kMaxColliders],
      uz[kMaxColliders];
  float length[kMaxColliders], radius[kMaxColliders];
  float surface[kMaxColliders];  // radius of a capsule that contains the surface, blends included
  float inner[kMaxColliders];    // radius of a capsule about the same axis inside the collider
  float travel[kMaxColliders], half_thickness[kMaxColliders];  // as in PosedCollider
  // Half-spaces and boxes, walls and floors among them, have a slab besides, the reach of blends included: points p whose height
  // normal . p is from `bottom` to `top`. Others have none. Unset if no collider has one.
  bool slabs = false;
  float nx[kMaxColliders], ny[kMaxColliders], nz[kMaxColliders], bottom[kMaxColliders], top[kMaxColliders];
};

// Collider::max_axis_distance of a grid or network.
float find_max_axis_distance(const Collider& collider);

// Colliders of other groups than those in `groups` (one bit each) are as if they were far away.
void bound_colliders(ColliderBounds& bounds, const PosedCollider* colliders, int count,
                     uint32_t groups = kAllGroups);

// Distances of a point from the axes of four colliders, from index i on.
inline F4 distance_from_axes(const ColliderBounds& b, int i, V3 p) {
  V3x4 w{splat(p.x) - load(b.x + i), splat(p.y) - load(b.y + i), splat(p.z) - load(b.z + i)};
  V3x4 u{load(b.ux + i), load(b.uy + i), load(b.uz + i)};
  V3x4 d = w - u * min(max(dot(w, u), 0.0f), load(b.length + i));
  return sqrt(dot(d, d));
}

// Distances of four points from the axis of collider i.
inline F4 distance_from_axis(const ColliderBounds& b, int i, V3x4 p) {
  const V3x4 axis = splat(V3{b.ux[i], b.uy[i], b.uz[i]}), w = p - splat(V3{b.x[i], b.y[i], b.z[i]});
  const V3x4 d = w - axis * clamp(dot(w, axis), 0.0f, b.length[i]);
  return sqrt(dot(d, d));
}

// Lower bounds of the distances of a point to four colliders, by their slabs.
inline F4 distance_from_slabs(const ColliderBounds& b, int i, V3 p) {
  if (!b.slabs) return splat(-kFarAway);
  const F4 height = load(b.nx + i) * p.x + load(b.ny + i) * p.y + load(b.nz + i) * p.z;
  return max(height - load(b.top + i), load(b.bottom + i) - height);
}

// The same of four points to collider i.
inline F4 distance_from_slab(const ColliderBounds& b, int i, V3x4 p) {
  if (!b.slabs) return splat(-kFarAway);
  const F4 height = p.x * b.nx[i] + p.y * b.ny[i] + p.z * b.nz[i];
  return max(height - b.top[i], b.bottom[i] - height);
}

// Lower bounds of the distances of a point to four colliders, and of four points to one, blends included.
inline F4 least_distances(const ColliderBounds& b, int i, V3 p) {
  return max(distance_from_axes(b, i, p) - load(b.radius + i), distance_from_slabs(b, i, p));
}
inline F4 least_distance(const ColliderBounds& b, int i, V3x4 p) {
  return max(distance_from_axis(b, i, p) - b.radius[i], distance_from_slab(b, i, p));
}

}  // namespace billow
