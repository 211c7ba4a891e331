#include "sdf/query.h"

#include <bit>

#include "sdf/beyond_box.h"

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
template <AnyLanes F> BILLOW_ALWAYS_INLINE F smooth_min(F a, F b, float k, F& weight) {
  weight = clamp(0.5f + (a - b) * (0.5f / k), 0.0f, 1.0f);
  return a + (b - a) * weight - k * weight * (1.0f - weight);
}

// Calls f(collider, lanes) for each collider named in a lane of `index`.
template <AnyLanes F, class Function> BILLOW_ALWAYS_INLINE void for_each_named(F index, Function f) {
  float names[kLanesOf<F>];
  store(names, index);
  for (unsigned left = static_cast<unsigned>(bits(index >= 0.0f)); left;) {
    const float name = names[std::countr_zero(left)];
    const auto named = index == lanes<F>(name);
    f(static_cast<int>(name), named);
    left &= ~static_cast<unsigned>(bits(named));
  }
}

V3x4 carry(const PosedCollider* colliders, F4 index, V3x4 x) {
  V3x4 out = x;
  for_each_named(index, [&](int c, M4 named) { out = select(named, embed_with(colliders[c], x), out); });
  return out;
}

V3x4 velocity_of(const PosedCollider* colliders, F4 index, V3x4 x, float inverse_dt) {
  V3x4 out = zero3();
  for_each_named(index, [&](int i, M4 named) {
    const PosedCollider& c = colliders[i];
    if (!c.moving) return;
    // Where the material point now at x came from, about the collider's centre to keep digits.
    V3x4 arm = x - splat(c.transform.position);
    V3x4 travelled = arm - apply_transposed(c.turn, arm) + splat(c.transform.position - c.centre_before);
    out = select(named, travelled * inverse_dt, out);
  });
  return out;
}

}  // namespace

namespace {

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

Distance4 local_custom_distance(const PosedCollider& c, V3x4 local) { return custom_distance(c, local); }
Distance<F8> local_custom_distance(const PosedCollider& c, Vec3<F8> p) {
  const Distance4 low = custom_distance(c, {p.x.low, p.y.low, p.z.low});
  const Distance4 high = custom_distance(c, {p.x.high, p.y.high, p.z.high});
  return {{low.phi, high.phi},
          {{low.gradient.x, high.gradient.x},
           {low.gradient.y, high.gradient.y},
           {low.gradient.z, high.gradient.z}}};
}

// A field that is given for scale 1. Its gradient is only nearly of unit length; its value is kept from
// contradicting the bounds.
template <AnyLanes F> Distance<F> field_distance(const PosedCollider& c, const Approach<F>& a) {
  const Vec3<F> p = a.local * (1.0f / c.scale);
  Distance<F> d = c.collider->shape == Shape::kGrid ? grid_distance(c.collider->grid, p)
                                                    : network_distance(c.collider->network, p);
  const Vec3<F> from_axis = {p.x, p.y - clamp(p.y, -c.collider->half.y, c.collider->half.y), p.z};
  const F phi = min(d.phi, length(from_axis) + c.collider->off_axis);
  return {max(phi * c.scale, a.bound), normalized_or(d.gradient, lanes<F>(V3{0, 1, 0}))};
}

// Its distance; the gradient is in its own frame.
template <AnyLanes F>
BILLOW_ALWAYS_INLINE Distance<F> local_distance(const PosedCollider& c, const Approach<F>& a) {
  const Collider& s = *c.collider;
  switch (s.shape) {
    case Shape::kEllipsoid:
      return ellipsoid<F>(a.local, c.ellipsoid, {a.bound, a.root});
    case Shape::kBox:
      return rounded_box(a.local, s.half * c.scale, s.radius * c.scale);
    case Shape::kHalfSpace:
      return {a.local.y, lanes<F>(V3{0, 1, 0})};
    case Shape::kGrid:
    case Shape::kNeural:
      return field_distance(c, a);
    default:
      return local_custom_distance(c, a.local);
  }
}

}  // namespace

Distance4 distance_to(const PosedCollider& c, V3x4 p) {
  if (c.collider->is_round()) {
    const CapsuleDistance<F4> d = to_capsule(c, p);
    return {d.phi, capsule_gradient(d, p, c.transform.position, c.axis)};
  }
  Distance4 d = local_distance(c, approach(c, p));
  d.gradient = rotate_by(c.rotation, d.gradient);
  return d;
}

F8 least_distance_to(const PosedCollider& c, const Vec3<F8>& p) {
  return c.collider->is_round() ? to_capsule(c, p).phi : approach(c, p).bound;
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

namespace {

// Where an earlier collider stands among the obstacles, which are in rising order; -1 if it does not.
int place_of(const Obstacles& obstacles, int number, int before) {
  int k = before - 1;
  while (k >= 0 && obstacles.numbers[k] > number) --k;
  return k >= 0 && obstacles.numbers[k] == number ? k : -1;
}

// What is found out on the way about `kGroups` groups of points, by the place of a collider among the obstacles.
template <AnyLanes F, int kGroups> struct Known {
  uint8_t place[kMaxColliders];    // by the collider's number
  uint32_t groups[kMaxColliders];  // for which the distance is known, one bit each
  F phi[kMaxColliders][kGroups];
  Vec3<F> gradient[kMaxColliders][kGroups];  // in the collider's frame; the round ones' are found when needed
};

// Calls f(group) for each bit.
template <class Function> void for_each_group(uint32_t groups, Function f) {
  for (; groups; groups &= groups - 1) f(std::countr_zero(groups));
}

// Takes a collider where it is nearer than what was found so far, all of it unblended.
template <AnyLanes F> BILLOW_ALWAYS_INLINE void consider(Nearest<F>& best, F phi, int number) {
  auto nearer = phi < best.phi;
  best.phi = select(nearer, phi, best.phi);
  best.first = select(nearer, lanes<F>(static_cast<float>(number)), best.first);
}

// A collider and an earlier one it blends with.
template <AnyLanes F>
BILLOW_ALWAYS_INLINE void consider_merged(Nearest<F>& best, F one, F other, const PosedCollider& c,
                                          int number) {
  const float radius = c.collider->blend_radius * c.scale;
  auto merges = (abs(other - one) < radius) & (min(one, other) - 0.25f * radius <= best.phi);
  if (!any(merges)) return;
  F blend;
  F merged = smooth_min(one, other, radius, blend);
  // Where one of the two alone is what was found, take them both, even where rounding hides that they merge.
  F a = lanes<F>(static_cast<float>(number)), b = lanes<F>(static_cast<float>(c.collider->blend_with));
  auto alone = ((best.first == a) | (best.first == b)) & (best.second < 0.0f);
  auto nearer = merges & ((merged < best.phi) | alone);
  // Name the one with the larger share first.
  auto swapped = blend > 0.5f;
  best.phi = select(nearer, merged, best.phi);
  best.first = select(nearer, select(swapped, b, a), best.first);
  best.second = select(nearer, select(swapped, a, b), best.second);
  best.blend = select(nearer, select(swapped, 1.0f - blend, blend), best.blend);
}

// The gradients of the colliders named in the lanes.
template <AnyLanes F, int kGroups>
Vec3<F> gradient_of(const PosedCollider* colliders, const Known<F, kGroups>& known, int group, F index,
                    Vec3<F> p) {
  Vec3<F> out = lanes<F>(V3{0, 1, 0});
  for_each_named(index, [&](int i, auto named) {
    const PosedCollider& c = colliders[i];
    const Vec3<F> g = c.collider->is_round()
                          ? capsule_gradient(to_capsule(c, p), p, c.transform.position, c.axis)
                          : rotate_by(c.rotation, known.gradient[known.place[i]][group]);
    out = select(named, g, out);
  });
  return out;
}

// The nearest surface of `kGroups` groups of points. On entry best[].phi is a limit; `wanted` has the groups
// that each obstacle may matter to.
template <AnyLanes F, int kGroups>
void find_nearest(const Obstacles& obstacles, const uint32_t* wanted, const Vec3<F>* p, Nearest<F>* best) {
  const PosedCollider* colliders = obstacles.colliders;
  Known<F, kGroups> known;
  uint32_t groups_used = 0;
  // The round ones first: they are cheap, and tell how near the dearer ones have to be to matter.
  for (int k = 0; k < obstacles.count; ++k) {
    const int i = obstacles.numbers[k];
    const PosedCollider& c = colliders[i];
    known.place[i] = static_cast<uint8_t>(k);
    known.groups[k] = 0;
    groups_used |= wanted[k];
    if (!c.collider->is_round()) continue;
    for_each_group(wanted[k], [&](int g) {
      known.groups[k] |= 1u << g;
      known.phi[k][g] = to_capsule(c, p[g]).phi;
      consider(best[g], known.phi[k][g], i);
    });
  }
  for (int k = 0; k < obstacles.count; ++k) {
    const int i = obstacles.numbers[k];
    const PosedCollider& c = colliders[i];
    if (c.collider->is_round()) continue;
    for_each_group(wanted[k], [&](int g) {
      const Approach<F> a = approach(c, p[g]);
      if (!any(a.bound < best[g].phi + c.collider->reach * c.scale)) return;
      Distance<F> d = local_distance(c, a);
      if (c.collider->shape == Shape::kCustom)  // beyond its bound it counts as far away
        d.phi = select(a.bound > 0.0f, lanes<F>(kFarAway), d.phi);
      known.groups[k] |= 1u << g;
      known.phi[k][g] = d.phi;
      known.gradient[k][g] = d.gradient;
      consider(best[g], d.phi, i);
    });
  }
  // Merge those that blend.
  for (int k = 0; k < obstacles.count; ++k) {
    const int i = obstacles.numbers[k], partner = colliders[i].collider->blend_with;
    if (partner < 0) continue;
    const int other = place_of(obstacles, partner, k);
    if (other < 0) continue;
    for_each_group(known.groups[k] & known.groups[other], [&](int g) {
      consider_merged(best[g], known.phi[k][g], known.phi[other][g], colliders[i], i);
    });
  }
  for_each_group(groups_used, [&](int g) {
    Nearest<F>& n = best[g];
    n.gradient = gradient_of(colliders, known, g, n.first, p[g]);
    if (!any(n.blend > 0.0f)) return;
    const Vec3<F> other = gradient_of(colliders, known, g, n.second, p[g]);
    const Vec3<F> merged = n.gradient + (other - n.gradient) * n.blend;
    n.gradient = select(n.blend > 0.0f, normalized_or(merged, n.gradient), n.gradient);
  });
}

template <AnyLanes F> Nearest<F> nothing_within(F limit) {
  return {limit, lanes<F>(V3{0, 1, 0}), lanes<F>(-1.0f), lanes<F>(-1.0f), lanes<F>(0.0f)};
}

}  // namespace

Nearest4 nearest_surface(const Obstacles& obstacles, V3x4 p, F4 limit) {
  // Skip colliders whose bounding sphere is too far to matter, blending included.
  uint32_t wanted[kMaxColliders];
  for (int k = 0; k < obstacles.count; ++k) {
    const PosedCollider& c = obstacles.colliders[obstacles.numbers[k]];
    V3x4 w = p - splat(c.bound_centre);
    F4 needed = max(limit + (c.collider->reach * c.scale + c.bound_radius), zero());
    wanted[k] = any(dot(w, w) < needed * needed);
  }
  Nearest4 best = nothing_within(limit);
  find_nearest<F4, 1>(obstacles, wanted, &p, &best);
  return best;
}

void nearest_surfaces(const Obstacles& obstacles, const uint32_t* wanted, const Vec3<F8>* points,
                      const F8* limits, Nearest<F8>* out) {
  for (int g = 0; g < kQueryGroups; ++g) out[g] = nothing_within(limits[g]);
  find_nearest<F8, kQueryGroups>(obstacles, wanted, points, out);
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
