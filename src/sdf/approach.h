// What is cheap to know of a collider's distance: all of it where it is round, and a bound where it is not.
#pragma once

#include "sdf/beyond_box.h"
#include "sdf/body.h"

namespace billow {

template <AnyLanes F> BILLOW_ALWAYS_INLINE CapsuleDistance<F> to_capsule(const PosedCollider& c, Vec3<F> p) {
  const Collider& s = *c.collider;
  return capsule_distance(p, c.transform.position, c.axis, s.length * c.scale, s.radius * c.scale, s.taper,
                          s.slope);
}

// A collider that is not round, some points, and no more than their distance.
template <AnyLanes F> struct Approach {
  Vec3<F> local;
  F bound;
  F root;  // ellipsoid: where its solver starts
};

template <AnyLanes F> BILLOW_ALWAYS_INLINE Approach<F> approach(const PosedCollider& c, Vec3<F> p) {
  const Vec3<F> local = apply_transposed(c.rotation, p - lanes<F>(c.transform.position));
  if (c.collider->shape == Shape::kGrid || c.collider->shape == Shape::kNeural)
    return {local, distance_to_box(local, c.collider->half * c.scale), lanes<F>(0.0f)};
  if (c.collider->shape != Shape::kEllipsoid)
    return {local, length(p - lanes<F>(c.bound_centre)) - c.bound_radius, lanes<F>(0.0f)};
  const EllipsoidStart<F> start = ellipsoid_start(local, c.ellipsoid);
  return {local, start.bound, start.s};
}

}  // namespace billow
