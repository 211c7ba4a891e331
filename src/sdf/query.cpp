#include "sdf/query.h"

namespace billow {
namespace {

// Points outside the bound are not asked about: for them the bound stands for the surface.
Distance4 custom_distance(const PosedCollider& c, V3x4 local) {
  F4 from_bound = length(local) - c.bound_radius;
  M4 outside = from_bound > 0.0f;
  Distance4 bound{from_bound, normalized_or(local, splat(V3{0, 1, 0}))};
  if (all(outside)) return bound;
  float points[12], phi[4], gradient[12], x[4], y[4], z[4];
  V3x4 asked = select(outside, zero3(), local * (1.0f / c.scale));
  for (int i = 0; i < 4; ++i) {
    V3 p = lane(asked, i);
    points[3 * i] = p.x;
    points[3 * i + 1] = p.y;
    points[3 * i + 2] = p.z;
  }
  c.collider->sdf(c.collider->user, points, 4, phi, gradient);
  for (int i = 0; i < 4; ++i) {
    x[i] = gradient[3 * i];
    y[i] = gradient[3 * i + 1];
    z[i] = gradient[3 * i + 2];
  }
  return {select(outside, bound.phi, load(phi) * c.scale),
          select(outside, bound.gradient, V3x4{load(x), load(y), load(z)})};
}

// Polynomial smooth minimum of radius k: equal to min(a, b) where |a - b| >= k, at most k/4 lower elsewhere.
// `weight` is b's share, which is also the derivative, so the gradient blends by it.
F4 smooth_min(F4 a, F4 b, float k, F4& weight) {
  weight = clamp(splat(0.5f) + (a - b) * (0.5f / k), 0.0f, 1.0f);
  return a + (b - a) * weight - k * weight * (1.0f - weight);
}

// Calls f(collider, lanes) for each collider named in a lane of `index`.
template <class F> void for_each_named(F4 index, F f) {
  float names[4];
  store(names, index);
  for (int i = 0; i < 4; ++i) {
    if (names[i] < 0) continue;
    bool seen = false;
    for (int j = 0; j < i; ++j) seen |= names[j] == names[i];
    if (!seen) f(static_cast<int>(names[i]), index == splat(names[i]));
  }
}

V3x4 carry(const PosedCollider* colliders, F4 index, V3x4 x) {
  V3x4 out = x;
  for_each_named(index, [&](int c, M4 lanes) { out = select(lanes, embed_with(colliders[c], x), out); });
  return out;
}

V3x4 velocity_of(const PosedCollider* colliders, F4 index, V3x4 x, float inverse_dt) {
  V3x4 out = zero3();
  for_each_named(index, [&](int i, M4 lanes) {
    const PosedCollider& c = colliders[i];
    if (!c.moving) return;
    // Where the material point now at x came from, about the collider's centre to keep digits.
    V3x4 arm = x - splat(c.transform.position);
    V3x4 travelled = arm - apply_transposed(c.turn, arm) + splat(c.transform.position - c.centre_before);
    out = select(lanes, travelled * inverse_dt, out);
  });
  return out;
}

}  // namespace

namespace {

CapsuleDistance4 to_capsule(const PosedCollider& c, V3x4 p) {
  const Collider& s = *c.collider;
  return capsule_distance(p, c.transform.position, c.axis, s.length * c.scale, s.radius * c.scale, s.taper,
                          s.slope);
}

}  // namespace

Distance4 distance_to(const PosedCollider& c, V3x4 p) {
  const Collider& s = *c.collider;
  switch (s.shape) {
    case Shape::kSphere:
    case Shape::kCapsule:
    case Shape::kTaperedCapsule: {
      CapsuleDistance4 d = to_capsule(c, p);
      return {d.phi, capsule_gradient(d, c.axis)};
    }
    case Shape::kHalfSpace: {
      V3x4 n = splat(c.axis);
      return {dot(p - splat(c.transform.position), n), n};
    }
    default:
      break;
  }
  V3x4 local = apply_transposed(c.rotation, p - splat(c.transform.position));
  Distance4 d = s.shape == Shape::kEllipsoid ? ellipsoid(local, s.half * c.scale)
                : s.shape == Shape::kBox     ? rounded_box(local, s.half * c.scale, s.radius * c.scale)
                                             : custom_distance(c, local);
  RigidMatrix turn = c.rotation;
  turn.translation = {0, 0, 0};
  d.gradient = apply(turn, d.gradient);
  return d;
}

Obstacles all_of(const PosedCollider* colliders, int count) {
  struct Numbers {
    uint8_t value[kMaxColliders];
    constexpr Numbers() : value{} {
      for (int i = 0; i < kMaxColliders; ++i) value[i] = static_cast<uint8_t>(i);
    }
  };
  static constexpr Numbers kNumbers;
  return {colliders, kNumbers.value, count};
}

Nearest4 nearest_surface(const Obstacles& obstacles, V3x4 p, F4 limit) {
  Distance4 of[kMaxColliders];  // of those that a later one blends with
  uint64_t known[kMaxColliders / 64] = {};
  Nearest4 best{limit, splat(V3{0, 1, 0}), splat(-1.0f), splat(-1.0f), zero()};
  for (int k = 0; k < obstacles.count; ++k) {
    const int i = obstacles.numbers[k];
    const PosedCollider& c = obstacles.colliders[i];
    // Skip colliders whose bounding sphere is too far to matter, blending included.
    V3x4 w = p - splat(c.bound_centre);
    F4 needed = max(best.phi + (c.collider->reach * c.scale + c.bound_radius), zero());
    if (!any(dot(w, w) < needed * needed)) continue;
    if (c.collider->is_plain_capsule()) {
      // The common case, short: no blending, and the gradient only where it is needed.
      CapsuleDistance4 d = to_capsule(c, p);
      M4 nearer = d.phi < best.phi;
      if (!any(nearer)) continue;
      best.phi = select(nearer, d.phi, best.phi);
      best.gradient = select(nearer, capsule_gradient(d, c.axis), best.gradient);
      best.first = select(nearer, splat(static_cast<float>(i)), best.first);
      best.second = select(nearer, splat(-1.0f), best.second);
      best.blend = select(nearer, zero(), best.blend);
      continue;
    }
    Distance4 d = distance_to(c, p);
    if (c.collider->shape == Shape::kCustom)  // beyond its bound it counts as far away
      d.phi = select(dot(w, w) > c.bound_radius * c.bound_radius, splat(kFarAway), d.phi);
    if (c.collider->stored) {
      of[i] = d;
      known[i / 64] |= uint64_t{1} << (i % 64);
    }
    F4 first = splat(static_cast<float>(i)), second = splat(-1.0f), blend = zero();
    const int partner = c.collider->blend_with;
    if (partner >= 0 && (known[partner / 64] >> (partner % 64) & 1)) {
      // Merge with the partner; its own candidate has been considered already.
      const Distance4& other = of[partner];
      M4 merges = abs(other.phi - d.phi) < c.collider->blend_radius * c.scale;
      if (any(merges)) {
        F4 merged = smooth_min(d.phi, other.phi, c.collider->blend_radius * c.scale, blend);
        blend = select(merges, blend, zero());
        V3x4 g = d.gradient + (other.gradient - d.gradient) * blend;
        d.gradient = select(merges, normalized_or(g, d.gradient), d.gradient);
        d.phi = select(merges, merged, d.phi);
        second = select(merges, splat(static_cast<float>(partner)), second);
        // Name the one with the larger share first.
        M4 swapped = blend > 0.5f;
        first = select(swapped, splat(static_cast<float>(partner)), first);
        second = select(swapped, splat(static_cast<float>(i)), second);
        blend = select(swapped, 1.0f - blend, blend);
      }
    }
    M4 nearer = d.phi < best.phi;
    if (!any(nearer)) continue;
    best.phi = select(nearer, d.phi, best.phi);
    best.gradient = select(nearer, d.gradient, best.gradient);
    best.first = select(nearer, first, best.first);
    best.second = select(nearer, second, best.second);
    best.blend = select(nearer, blend, best.blend);
  }
  return best;
}

V3x4 embed(const PosedCollider* colliders, const Nearest4& near, V3x4 x) {
  V3x4 carried = carry(colliders, near.first, x);
  if (!any(near.blend > 0.0f)) return carried;
  return carried + (carry(colliders, near.second, x) - carried) * near.blend;
}

V3x4 body_velocity(const PosedCollider* colliders, const Nearest4& near, V3x4 x, float inverse_dt) {
  V3x4 v = velocity_of(colliders, near.first, x, inverse_dt);
  if (!any(near.blend > 0.0f)) return v;
  return v + (velocity_of(colliders, near.second, x, inverse_dt) - v) * near.blend;
}

}  // namespace billow
