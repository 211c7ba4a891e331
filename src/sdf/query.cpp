#include "sdf/query.h"

#include "sdf/approach.h"

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

Distance4 local_custom_distance(const PosedCollider& c, V3x4 local) { return custom_distance(c, local); }
Distance<F8> local_custom_distance(const PosedCollider& c, Vec3<F8> p) {
  const Distance4 low = custom_distance(c, low_half(p)), high = custom_distance(c, high_half(p));
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

CandidateList all_of(const PosedCollider* colliders, int count) {
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

// What is found out on the way about `kGroups` groups of points, by the place of a collider among the obstacles.
template <AnyLanes F, int kGroups> struct Known {
  uint8_t place[kMaxColliders];    // by the collider's number
  uint32_t groups[kMaxColliders];  // for which the distance is known, one bit each
  struct One {
    F phi;   // until it is known, no more than it
    F root;  // as in Approach
    // In the collider's frame; the round ones' are found when needed. Until the distance is known, where the points are.
    Vec3<F> gradient;
  } of[kMaxColliders][kGroups];
};

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
template <Ellipsoids kEllipsoids, AnyLanes F, int kGroups>
Vec3<F> gradient_of(const PosedCollider* colliders, const Known<F, kGroups>& known, int group, F index,
                    Vec3<F> p) {
  Vec3<F> out = lanes<F>(V3{0, 1, 0});
  for_each_named(index, [&](int i, auto named) {
    const PosedCollider& c = colliders[i];
    if (c.collider->is_round()) {
      out = select(named, capsule_gradient(to_capsule(c, p), p, c.transform.position, c.axis), out);
      return;
    }
    Vec3<F> g = known.of[known.place[i]][group].gradient;
    if (kEllipsoids == Ellipsoids::kBounds && c.collider->shape == Shape::kEllipsoid)
      g = level_set_normal(g, c.ellipsoid);
    out = select(named, rotate_by(c.rotation, g), out);
  });
  return out;
}

// What can be known of all obstacles cheaply: distances of the round ones, and bounds of the others', which may be enough.
template <Ellipsoids kEllipsoids, AnyLanes F, int kGroups>
void find_bounds(const CandidateList& obstacles, const uint32_t* wanted, const Vec3<F>* p, Nearest<F>* best,
                 Known<F, kGroups>& known) {
  for (int k = 0; k < obstacles.count; ++k) {
    const int i = obstacles.numbers[k];
    const PosedCollider& c = obstacles.colliders[i];
    known.place[i] = static_cast<uint8_t>(k);
    const bool enough = kEllipsoids == Ellipsoids::kBounds && c.collider->shape == Shape::kEllipsoid;
    known.groups[k] = c.collider->is_round() || enough ? wanted[k] : 0;
    if (c.collider->is_round()) {
      for_each_group(wanted[k], [&](int g) {
        const F phi = to_capsule(c, p[g]).phi;
        consider(best[g], phi, i);
        known.of[k][g].phi = phi;
      });
    } else {
      for_each_group(wanted[k], [&](int g) {
        const Approach<F> a = approach(c, p[g]);
        if (enough) consider(best[g], a.bound, i);
        known.of[k][g].phi = a.bound;
        known.of[k][g].root = a.root;
        known.of[k][g].gradient = a.local;
      });
    }
  }
}

// The distance of a group from an obstacle of which only a bound was known.
template <AnyLanes F, int kGroups>
void find_distance(const CandidateList& obstacles, int k, int g, Nearest<F>& best, Known<F, kGroups>& known) {
  const int i = obstacles.numbers[k];
  const PosedCollider& c = obstacles.colliders[i];
  const F bound = known.of[k][g].phi;
  Distance<F> d = local_distance(c, Approach<F>{known.of[k][g].gradient, bound, known.of[k][g].root});
  if (c.collider->shape == Shape::kCustom)  // beyond its bound it counts as far away
    d.phi = select(bound > 0.0f, lanes<F>(kFarAway), d.phi);
  consider(best, d.phi, i);
  known.groups[k] |= 1u << g;
  known.of[k][g].phi = d.phi;
  known.of[k][g].gradient = d.gradient;
}

// Whether two colliders may be nearest together, by what is known of their distances: the merged distance rises with both, so bounds bound it.
// Where the other's is known, it also tells which are too far from it to merge.
template <AnyLanes F>
BILLOW_ALWAYS_INLINE bool may_merge(F bound, F other, bool other_known, float radius, F best) {
  constexpr float kRounding = 1e-5f;
  auto may = smooth_min(bound, other, radius) < best + kRounding;
  if (other_known) may = may & (bound < other + (radius + kRounding));
  return any(may);
}

// The dearer distances where they matter: of what may be nearest, and then of what may be nearest with another.
template <AnyLanes F, int kGroups>
void find_distances(const CandidateList& obstacles, const Merges& merges, const uint32_t* wanted,
                    Nearest<F>* best, Known<F, kGroups>& known) {
  for (int k = 0; k < obstacles.count; ++k)
    for_each_group(wanted[k] & ~known.groups[k], [&](int g) {
      if (any(known.of[k][g].phi < best[g].phi)) find_distance(obstacles, k, g, best[g], known);
    });
  for (int m = 0; m < merges.count; ++m) {
    const int k = merges.of[m].one, other = merges.of[m].other;
    const float radius = merges.of[m].radius;
    const uint32_t both_known = known.groups[k] & known.groups[other];
    for_each_group(wanted[k] & wanted[other] & ~both_known, [&](int g) {
      const bool know = known.groups[k] >> g & 1, know_other = known.groups[other] >> g & 1;
      const F one = known.of[k][g].phi, two = known.of[other][g].phi, most = best[g].phi;
      if (!(know ? may_merge(two, one, true, radius, most) : may_merge(one, two, know_other, radius, most)))
        return;
      if (!know) find_distance(obstacles, k, g, best[g], known);
      if (!know_other) find_distance(obstacles, other, g, best[g], known);
    });
  }
}

// The nearest surface of `kGroups` groups of points. On entry best[].phi is a limit; `wanted` has the groups
// that each obstacle may matter to.
template <Ellipsoids kEllipsoids, AnyLanes F, int kGroups>
void find_nearest(const CandidateList& obstacles, const uint32_t* wanted, const Vec3<F>* p,
                  Nearest<F>* best) {
  const PosedCollider* colliders = obstacles.colliders;
  Known<F, kGroups> known;
  find_bounds<kEllipsoids>(obstacles, wanted, p, best, known);
  const Merges merges(obstacles);
  find_distances(obstacles, merges, wanted, best, known);
  // Merge those that blend.
  for (int m = 0; m < merges.count; ++m) {
    const int k = merges.of[m].one, other = merges.of[m].other, i = obstacles.numbers[k];
    for_each_group(known.groups[k] & known.groups[other], [&](int g) {
      consider_merged(best[g], known.of[k][g].phi, known.of[other][g].phi, colliders[i], i);
    });
  }
  uint32_t groups = 0;
  for (int k = 0; k < obstacles.count; ++k) groups |= wanted[k];
  for_each_group(groups, [&](int g) {
    Nearest<F>& n = best[g];
    if (!any(n.first >= 0.0f)) return;
    n.gradient = gradient_of<kEllipsoids>(colliders, known, g, n.first, p[g]);
    if (!any(n.blend > 0.0f)) return;
    const Vec3<F> other = gradient_of<kEllipsoids>(colliders, known, g, n.second, p[g]);
    const Vec3<F> merged = n.gradient + (other - n.gradient) * n.blend;
    n.gradient = select(n.blend > 0.0f, normalized_or(merged, n.gradient), n.gradient);
  });
}

template <AnyLanes F> Nearest<F> nothing_within(F limit) {
  return {limit, lanes<F>(V3{0, 1, 0}), lanes<F>(-1.0f), lanes<F>(-1.0f), lanes<F>(0.0f)};
}

}  // namespace

Nearest4 nearest_surface(const CandidateList& obstacles, V3x4 p, F4 limit) {
  // Skip colliders whose bounding sphere is too far to matter, blending included.
  uint8_t numbers[kMaxColliders];
  uint32_t wanted[kMaxColliders];
  CandidateList near{obstacles.colliders, numbers, 0};
  for (int k = 0; k < obstacles.count; ++k) {
    const PosedCollider& c = obstacles.colliders[obstacles.numbers[k]];
    V3x4 w = p - splat(c.bound_centre);
    F4 needed = max(limit + (c.collider->reach * c.scale + c.bound_radius), 0.0f);
    numbers[near.count] = obstacles.numbers[k];
    wanted[near.count] = 1;
    near.count += any(dot(w, w) < needed * needed);
  }
  Nearest4 best = nothing_within(limit);
  if (near.count > 0) find_nearest<Ellipsoids::kExact, F4, 1>(near, wanted, &p, &best);
  return best;
}

void nearest_surfaces(const CandidateList& obstacles, Ellipsoids ellipsoids, const uint32_t* wanted,
                      const Vec3<F8>* points, const F8* limits, Nearest<F8>* out) {
  for (int g = 0; g < kQueryGroups; ++g) out[g] = nothing_within(limits[g]);
  if (ellipsoids == Ellipsoids::kExact)
    find_nearest<Ellipsoids::kExact, F8, kQueryGroups>(obstacles, wanted, points, out);
  else
    find_nearest<Ellipsoids::kBounds, F8, kQueryGroups>(obstacles, wanted, points, out);
}

namespace {

// Groups two by two; the last may be alone.
struct Pairs {
  int low[kQueryGroups], high[kQueryGroups], count = 0;

  explicit Pairs(uint32_t groups) {
    for (; groups; ++count) {
      low[count] = high[count] = std::countr_zero(groups);
      groups &= groups - 1;
      if (!groups) continue;
      high[count] = std::countr_zero(groups);
      groups &= groups - 1;
    }
  }
  F8 of(const F4* each, int pair) const { return {each[low[pair]], each[high[pair]]}; }
  Vec3<F8> of(const V3x4* each, int pair) const {
    const V3x4 &a = each[low[pair]], &b = each[high[pair]];
    return {{a.x, b.x}, {a.y, b.y}, {a.z, b.z}};
  }
};

}  // namespace

void nearest_surfaces(const CandidateSet& around, uint32_t groups, SdfQuery& question) {
  constexpr float kRounding = 1e-4f;
  if (!groups) return;
  const Pairs pairs(groups);
  Vec3<F8> p[kQueryGroups];
  Nearest<F8> best[kQueryGroups];
  F8 needed[kQueryGroups];
  for (int k = 0; k < pairs.count; ++k) {
    p[k] = pairs.of(question.x, k);
    const F8 limit = pairs.of(question.limit, k);
    best[k] = nothing_within(limit);
    needed[k] = limit + length(p[k] - pairs.of(around.from, k)) + kRounding;
  }
  // Skip colliders that are too far to matter, however the points have moved since.
  uint8_t numbers[kMaxColliders];
  uint32_t wanted[kMaxColliders];
  CandidateList near{around.obstacles.colliders, numbers, 0};
  for (int i = 0; i < around.obstacles.count; ++i) {
    uint32_t wanting = 0;
    for (int k = 0; k < pairs.count; ++k)
      wanting |= uint32_t{any(pairs.of(around.least[i], k) < needed[k])} << k;
    numbers[near.count] = around.obstacles.numbers[i];
    wanted[near.count] = wanting;
    near.count += wanting != 0;
  }
  if (near.count > 0) find_nearest<Ellipsoids::kExact, F8, kQueryGroups>(near, wanted, p, best);
  for (int k = 0; k < pairs.count; ++k) {
    const Nearest<F8>& n = best[k];
    question.near[pairs.low[k]] = {low_half(n.phi), low_half(n.gradient), low_half(n.first),
                                   low_half(n.second), low_half(n.blend)};
    question.near[pairs.high[k]] = {high_half(n.phi), high_half(n.gradient), high_half(n.first),
                                    high_half(n.second), high_half(n.blend)};
  }
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
