// The signed distance function of a body for one point per thread: the same arithmetic as src/sdf, for the
// shapes that need no data of their own. Offline bodies have scale 1. SI units.
#pragma once

#include <cstdint>

#include "cloth/batch/one_lane.h"
#include "cloth/batch/team.h"
#include "sdf/body.h"
#include "sdf/yielding.h"

namespace billow::cloth {

// A query keeps its candidates as the bits of one number.
inline constexpr uint32_t kMaxBatchColliders = 64;

// What does not change with the pose.
struct BatchCollider {
  Shape shape = Shape::kSphere;
  float radius = 0, length = 0, taper = 0, slope = 0;  // as in Collider
  V3 half{0, 0, 0};
  int blend_with = -1;
  float blend_radius = 0;
  uint32_t group = 0;
  float reach = 0;
  float bound_radius = 0;
  EllipsoidShape ellipsoid{};

  BILLOW_HD bool is_capsule() const { return shape <= Shape::kTaperedCapsule; }
};

// Some of the colliders, and those of them that blend with an earlier one.
struct ColliderSet {
  uint32_t count = 0, blend_count = 0;
  const uint8_t* indices = nullptr;  // ascending
  const uint8_t* blends = nullptr;
};

struct BatchBody {
  uint32_t count = 0;
  const BatchCollider* colliders = nullptr;
  ColliderSet rigid, soft, yielding;
  float softness[kColliderGroups] = {};
  uint32_t yielding_groups = 0;
};

// A collider at one instant.
struct PlacedCollider {
  RigidMatrix rotation;  // the translation is its position
  V3 bound_centre{0, 0, 0};
  float needed = 0;  // m, from that centre: farther points are not affected, blends included

  BILLOW_HD V3 axis() const { return {rotation.rx.y, rotation.ry.y, rotation.rz.y}; }
};

// Its motion over a step: a point x goes to centre + rotation * (x - centre_before).
struct ColliderMotion {
  RigidMatrix rotation;  // no translation
  V3 centre_before{0, 0, 0}, centre{0, 0, 0};
  bool moving = false;
};

BILLOW_DEVICE PlacedCollider place_collider(const BatchCollider& c, const Transform& at) {
  PlacedCollider p;
  p.rotation = to_matrix(at);
  p.bound_centre = c.is_capsule() ? at.position + p.axis() * (0.5f * c.length) : at.position;
  p.needed = c.reach + c.bound_radius;
  return p;
}

BILLOW_DEVICE ColliderMotion collider_motion(const Transform& from, const Transform& to) {
  ColliderMotion m;
  m.moving = !same(from, to);
  m.centre_before = from.position;
  m.centre = to.position;
  if (m.moving) m.rotation = to_matrix({{0, 0, 0}, normalized(to.rotation * conjugate(from.rotation))});
  return m;
}

// Where a point that moves with the collider goes.
BILLOW_DEVICE V3 carry_with(const ColliderMotion& m, V3 x) {
  if (!m.moving) return x;
  return value(apply(m.rotation, one_lane(x - m.centre_before))) + m.centre;
}

struct NearestSurface {
  float phi;
  V3 gradient;
  int first;  // collider that it moves with; -1: none within the limit
};

// The distances of one point. Nothing is stored between the steps of a query: to compute the few distances
// that matter again is cheaper than to keep those of all colliders.
class PointQuery {
 public:
  BILLOW_DEVICE PointQuery(const BatchBody& body, const PlacedCollider* placed, V3 point)
      : body_(body), placed_(placed), p_(one_lane(point)) {}

  // Distance to the union, exact where it is below `limit`; elsewhere phi = limit and first = -1.
  BILLOW_DEVICE NearestSurface nearest(const ColliderSet& set, float limit) {
    NearestSurface found{limit, {0, 1, 0}, -1};
    phi_ = limit;
    if (!find_candidates(set, limit)) return found;
    consider_exact_distances(set);
    for (uint32_t k = 0; k < set.blend_count; ++k) consider_blend(set.blends[k]);
    found.phi = phi_;
    found.first = first_;
    if (first_ < 0) return found;
    Vec3<F1> n = gradient(first_);
    if (blend_ > 0) n = normalized_or(n + (gradient(second_) - n) * blend_, n);
    found.gradient = value(n);
    return found;
  }

 private:
  // Distances of capsules; the others, whose distance is expensive, are only marked.
  BILLOW_DEVICE bool find_candidates(const ColliderSet& set, float limit) {
    bool any_near = false;
    for (uint32_t k = 0; k < set.count; ++k) {
      const int i = set.indices[k];
      const Vec3<F1> w = p_ - lanes<F1>(placed_[i].bound_centre);
      const F1 needed = max(F1{limit + placed_[i].needed}, 0.0f);
      if (!any(dot(w, w) < needed * needed)) continue;
      near_ |= uint64_t{1} << i;
      any_near = true;
      if (body_.colliders[i].is_capsule()) consider(to_capsule(i).phi.v, i);
    }
    return any_near;
  }

  BILLOW_DEVICE void consider_exact_distances(const ColliderSet& set) {
    for (uint32_t k = 0; k < set.count; ++k) {
      const int i = set.indices[k];
      if (!is_near(i) || body_.colliders[i].is_capsule()) continue;
      const Bound b = bound(i);
      if (b.bound.v < phi_) consider(local_distance(i, b).phi.v, i);
    }
  }

  BILLOW_DEVICE void consider(float phi, int index) {
    if (!(phi < phi_)) return;
    phi_ = phi;
    first_ = index;
  }

  // As in src/sdf/query.cpp: may_blend() on lower bounds, then consider_blend() on distances.
  BILLOW_DEVICE void consider_blend(int index) {
    constexpr float kRounding = 1e-5f;
    const int with = body_.colliders[index].blend_with;
    if (!is_near(index) || !is_near(with)) return;
    const float radius = body_.colliders[index].blend_radius;
    const F1 bounds = smooth_min(lower_bound(index), lower_bound(with), radius);
    if (!(bounds.v < phi_ + kRounding)) return;
    const F1 one = distance(index), other = distance(with);
    if (!(abs(other - one).v < radius) || !(min(one, other).v - 0.25f * radius <= phi_)) return;
    F1 weight;
    const float blended = smooth_min(one, other, radius, weight).v;
    const bool alone = (first_ == index || first_ == with) && second_ < 0;
    if (!(blended < phi_) && !alone) return;
    const bool swapped = weight.v > 0.5f;
    phi_ = blended;
    first_ = swapped ? with : index;
    second_ = swapped ? index : with;
    blend_ = swapped ? 1.0f - weight.v : weight.v;
  }

  // In the collider's frame.
  struct Bound {
    Vec3<F1> local;
    F1 bound, root;
  };
  BILLOW_DEVICE Bound bound(int i) const {
    const BatchCollider& s = body_.colliders[i];
    const PlacedCollider& c = placed_[i];
    const Vec3<F1> local = apply_transposed(c.rotation, p_ - lanes<F1>(c.rotation.translation));
    if (s.shape != Shape::kEllipsoid)
      return {local, length(p_ - lanes<F1>(c.bound_centre)) - s.bound_radius, F1{0}};
    const EllipsoidStart<F1> start = ellipsoid_start(local, s.ellipsoid);
    return {local, start.bound, start.s};
  }

  BILLOW_DEVICE Distance<F1> local_distance(int i, const Bound& b) const {
    const BatchCollider& s = body_.colliders[i];
    if (s.shape == Shape::kEllipsoid) return ellipsoid<F1>(b.local, s.ellipsoid, {b.bound, b.root});
    if (s.shape == Shape::kBox) return rounded_box(b.local, s.half, s.radius);
    return {b.local.y, lanes<F1>(V3{0, 1, 0})};
  }

  BILLOW_DEVICE CapsuleDistance<F1> to_capsule(int i) const {
    const BatchCollider& s = body_.colliders[i];
    const PlacedCollider& c = placed_[i];
    return capsule_distance(p_, c.rotation.translation, c.axis(), s.length, s.radius, s.taper, s.slope);
  }
  BILLOW_DEVICE F1 lower_bound(int i) const {
    return body_.colliders[i].is_capsule() ? to_capsule(i).phi : bound(i).bound;
  }
  BILLOW_DEVICE F1 distance(int i) const {
    return body_.colliders[i].is_capsule() ? to_capsule(i).phi : local_distance(i, bound(i)).phi;
  }
  BILLOW_DEVICE Vec3<F1> gradient(int i) const {
    const PlacedCollider& c = placed_[i];
    if (body_.colliders[i].is_capsule())
      return capsule_gradient(to_capsule(i), p_, c.rotation.translation, c.axis());
    return rotate_by(c.rotation, local_distance(i, bound(i)).gradient);
  }

  BILLOW_DEVICE bool is_near(int i) const { return near_ >> i & 1; }

  const BatchBody& body_;
  const PlacedCollider* placed_;
  Vec3<F1> p_;
  uint64_t near_ = 0;  // one bit per collider
  float phi_ = 0, blend_ = 0;
  int first_ = -1, second_ = -1;
};

// Not inlined: several stages call it, and it is large.
BILLOW_DEVICE_CALL NearestSurface nearest_surface(const BatchBody& body, const ColliderSet& set,
                                                  const PlacedCollider* placed, V3 point, float limit) {
  return PointQuery(body, placed, point).nearest(set, limit);
}

// The same for the rigid colliders, and limbs that yield to them (sdf/yielding.h).
BILLOW_DEVICE_CALL NearestSurface nearest_to_body(const BatchBody& body, const PlacedCollider* placed,
                                                  V3 point, float limit) {
  const auto one = [](const NearestSurface& of) {
    return Nearest<F1>{{of.phi}, one_lane(of.gradient), {static_cast<float>(of.first)}, {-1}, {0}};
  };
  if (body.yielding.count > 0) {
    const Nearest<F1> limb = one(nearest_surface(body, body.yielding, placed, point, limit));
    if (any(limb.first >= 0.0f)) {
      const F1 needed = rigid_limit(F1{limit}, limb, kYieldGap);
      const Nearest<F1> found =
          with_limbs(one(nearest_surface(body, body.rigid, placed, point, needed.v)), limb, kYieldGap);
      return {found.phi.v, value(found.gradient), static_cast<int>(found.first.v)};
    }
  }
  return nearest_surface(body, body.rigid, placed, point, limit);
}

}  // namespace billow::cloth
