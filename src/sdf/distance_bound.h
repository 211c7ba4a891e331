// The cheap part of a collider's distance: exact for spheres and capsules, a lower bound for the others.
#pragma once

#include "sdf/beyond_box.h"
#include "sdf/body.h"

namespace billow {

template <AnyLanes F> BILLOW_ALWAYS_INLINE CapsuleDistance<F> to_capsule(const PosedCollider& c, Vec3<F> p) {
  const Collider& s = *c.collider;
  return capsule_distance(p, c.transform.position, c.axis, s.length * c.scale, s.radius * c.scale, s.taper,
                          s.slope);
}

// For a collider that is not a capsule: the points in its frame, and a lower bound of their distance.
template <AnyLanes F> struct DistanceBound {
  Vec3<F> local;
  F bound;
  F root;  // ellipsoid: initial guess of its solver
};

template <AnyLanes F>
BILLOW_ALWAYS_INLINE DistanceBound<F> distance_bound(const PosedCollider& c, Vec3<F> p) {
  const Vec3<F> local = apply_transposed(c.rotation, p - lanes<F>(c.transform.position));
  switch (c.collider->shape) {
    case Shape::kEllipsoid: {
      const EllipsoidStart<F> start = ellipsoid_start(local, c.ellipsoid);
      return {local, start.bound, start.s};
    }
    case Shape::kGrid:
    case Shape::kNeural:
      return {local, distance_to_box(local, c.collider->half * c.scale), lanes<F>(0.0f)};
    case Shape::kBox:  // rounded corners are within it; rounding must not make it the larger one
      return {local, distance_to_box(local, c.collider->half * c.scale) - 1e-5f * c.scale, lanes<F>(0.0f)};
    case Shape::kHalfSpace:
      return {local, local.y, lanes<F>(0.0f)};
    default:
      return {local, length(p - lanes<F>(c.bound_centre)) - c.bound_radius, lanes<F>(0.0f)};
  }
}

}  // namespace billow
