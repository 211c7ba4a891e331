#include "sdf/query.h"

#include "sdf/distance_bound.h"

namespace billow {
namespace {

// Points outside the bound are not passed to the callback: for them the bound is the surface.
Distance4 custom_distance(const PosedCollider& c, V3x4 local) {
  F4 from_bound = length(local) - c.bound_radius;
  M4 outside = from_bound > 0.0f;
  Distance4 bound{from_bound, normalized_or(local, splat(V3{0, 1, 0}))};
  if (all(outside)) return bound;
  float points[12], phi[4], gradient[12], x[4], y[4], z[4];
  V3x4 passed = select(outside, zero3(), local * (1.0f / c.scale));
  for (int i = 0; i < 4; ++i) {
    V3 p = lane(passed, i);
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

// Calls f(collider, mask of its lanes) for each collider index in a lane of `index`.
template <AnyLanes F, class Function> BILLOW_ALWAYS_INLINE void for_each_collider(F index, Function f) {
  float indices[kLanesOf<F>];
  store(indices, index);
  for (unsigned left = static_cast<unsigned>(bits(index >= 0.0f)); left;) {
    const float i = indices[std::countr_zero(left)];
    const auto mask = index == lanes<F>(i);
    f(static_cast<int>(i), mask);
    left &= ~static_cast<unsigned>(bits(mask));
  }
}

V3x4 carry(const PosedCollider* colliders, F4 index, V3x4 x) {
  V3x4 out = x;
  for_each_collider(index, [&](int c, M4 mask) { out = select(mask, embed_with(colliders[c], x), out); });
  return out;
}

V3x4 velocity_of(const PosedCollider* colliders, F4 index, V3x4 x, float inverse_dt) {
  V3x4 out = zero3();
  for_each_collider(index, [&](int i, M4 mask) {
    const PosedCollider& c = colliders[i];
    if (!c.moving) return;
    // The displacement of the material point now at x, about the collider's centre for precision.
    V3x4 arm = x - splat(c.transform.position);
    V3x4 travelled =
        arm - apply_transposed(c.delta_rotation, arm) + splat(c.transform.position - c.centre_before);
    out = select(mask, travelled * inverse_dt, out);
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

// Distance of a grid or network, which are defined at scale 1. Their gradients only nearly have unit length.
// The value is clamped to agree with the bounds.
template <AnyLanes F> Distance<F> field_distance(const PosedCollider& c, const DistanceBound<F>& a) {
  const Vec3<F> p = a.local * (1.0f / c.scale);
  Distance<F> d = c.collider->shape == Shape::kGrid ? grid_distance(c.collider->grid, p)
                                                    : network_distance(c.collider->network, p);
  const Vec3<F> from_axis = {p.x, p.y - clamp(p.y, -c.collider->half.y, c.collider->half.y), p.z};
  const F phi = min(d.phi, length(from_axis) + c.collider->max_axis_distance);
  return {max(phi * c.scale, a.bound), normalized_or(d.gradient, lanes<F>(V3{0, 1, 0}))};
}

// Exact distance of a collider that is not a capsule. The gradient is in its own frame.
template <AnyLanes F>
BILLOW_ALWAYS_INLINE Distance<F> local_distance(const PosedCollider& c, const DistanceBound<F>& a) {
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
  if (c.collider->is_capsule()) {
    const CapsuleDistance<F4> d = to_capsule(c, p);
    return {d.phi, capsule_gradient(d, p, c.transform.position, c.axis)};
  }
  Distance4 d = local_distance(c, distance_bound(c, p));
  d.gradient = rotate_by(c.rotation, d.gradient);
  return d;
}

CandidateList all_of(const PosedCollider* colliders, int count) {
  struct Indices {
    uint8_t value[kMaxColliders];
    constexpr Indices() : value{} {
      for (int i = 0; i < kMaxColliders; ++i) value[i] = static_cast<uint8_t>(i);
    }
  };
  static constexpr Indices kIndices;
  return {colliders, kIndices.value, count};
}

namespace {

// Intermediate results for kGroups groups of points, by a candidate's position in the list (its slot).
template <AnyLanes F, int kGroups> struct DistanceCache {
  uint8_t slot[kMaxColliders];    // by collider index
  uint32_t exact[kMaxColliders];  // groups whose distance is exact, one bit each
  struct One {
    F phi;   // distance; before it is exact, a lower bound of it
    F root;  // as in DistanceBound
    // In the collider's frame; capsules compute theirs when needed. Before the distance is exact: the points.
    Vec3<F> gradient;
  } of[kMaxColliders][kGroups];
};

// Updates the nearest surface with one collider, not blended.
template <AnyLanes F> BILLOW_ALWAYS_INLINE void consider(Nearest<F>& best, F phi, int index) {
  auto nearer = phi < best.phi;
  best.phi = select(nearer, phi, best.phi);
  best.first = select(nearer, lanes<F>(static_cast<float>(index)), best.first);
}

// Updates the nearest surface with the blend of a collider and an earlier one.
template <AnyLanes F>
BILLOW_ALWAYS_INLINE void consider_blend(Nearest<F>& best, F one, F other, const PosedCollider& c,
                                         int index) {
  const float radius = c.collider->blend_radius * c.scale;
  auto blends = (abs(other - one) < radius) & (min(one, other) - 0.25f * radius <= best.phi);
  if (!any(blends)) return;
  F blend;
  F blended = smooth_min(one, other, radius, blend);
  // If one of the two alone is the nearest so far, take the blend, even where rounding hides that it is
  // nearer.
  F a = lanes<F>(static_cast<float>(index)), b = lanes<F>(static_cast<float>(c.blend_with));
  auto alone = ((best.first == a) | (best.first == b)) & (best.second < 0.0f);
  auto nearer = blends & ((blended < best.phi) | alone);
  // The collider with the larger weight becomes `first`.
  auto swapped = blend > 0.5f;
  best.phi = select(nearer, blended, best.phi);
  best.first = select(nearer, select(swapped, b, a), best.first);
  best.second = select(nearer, select(swapped, a, b), best.second);
  best.blend = select(nearer, select(swapped, 1.0f - blend, blend), best.blend);
}

// The gradient of each lane's collider.
template <Ellipsoids kEllipsoids, AnyLanes F, int kGroups>
Vec3<F> gradient_of(const PosedCollider* colliders, const DistanceCache<F, kGroups>& cache, int group,
                    F index, Vec3<F> p) {
  Vec3<F> out = lanes<F>(V3{0, 1, 0});
  for_each_collider(index, [&](int i, auto mask) {
    const PosedCollider& c = colliders[i];
    if (c.collider->is_capsule()) {
      out = select(mask, capsule_gradient(to_capsule(c, p), p, c.transform.position, c.axis), out);
      return;
    }
    Vec3<F> g = cache.of[cache.slot[i]][group].gradient;
    if (kEllipsoids == Ellipsoids::kBounds && c.collider->shape == Shape::kEllipsoid)
      g = level_set_normal(g, c.ellipsoid);
    out = select(mask, rotate_by(c.rotation, g), out);
  });
  return out;
}

// The cheap part for all candidates: distances of capsules, and lower bounds for the others.
template <Ellipsoids kEllipsoids, AnyLanes F, int kGroups>
void find_bounds(const CandidateList& candidates, const uint32_t* masks, const Vec3<F>* p, Nearest<F>* best,
                 DistanceCache<F, kGroups>& cache) {
  for (int k = 0; k < candidates.count; ++k) {
    const int i = candidates.indices[k];
    const PosedCollider& c = candidates.colliders[i];
    cache.slot[i] = static_cast<uint8_t>(k);
    const bool bound_only = kEllipsoids == Ellipsoids::kBounds && c.collider->shape == Shape::kEllipsoid;
    cache.exact[k] = c.collider->is_capsule() || bound_only ? masks[k] : 0;
    if (c.collider->is_capsule()) {
      for_each_group(masks[k], [&](int g) {
        const F phi = to_capsule(c, p[g]).phi;
        consider(best[g], phi, i);
        cache.of[k][g].phi = phi;
      });
    } else {
      for_each_group(masks[k], [&](int g) {
        const DistanceBound<F> a = distance_bound(c, p[g]);
        if (bound_only) consider(best[g], a.bound, i);
        cache.of[k][g].phi = a.bound;
        cache.of[k][g].root = a.root;
        cache.of[k][g].gradient = a.local;
      });
    }
  }
}

// Replaces the lower bound of a candidate by its exact distance, for one group.
template <AnyLanes F, int kGroups>
void find_distance(const CandidateList& candidates, int k, int g, Nearest<F>& best,
                   DistanceCache<F, kGroups>& cache) {
  const int i = candidates.indices[k];
  const PosedCollider& c = candidates.colliders[i];
  const F bound = cache.of[k][g].phi;
  Distance<F> d = local_distance(c, DistanceBound<F>{cache.of[k][g].gradient, bound, cache.of[k][g].root});
  if (c.collider->shape == Shape::kCustom)  // beyond its bound it counts as far away
    d.phi = select(bound > 0.0f, lanes<F>(kFarAway), d.phi);
  consider(best, d.phi, i);
  cache.exact[k] |= 1u << g;
  cache.of[k][g].phi = d.phi;
  cache.of[k][g].gradient = d.gradient;
}

// Whether the blend of two colliders may be nearest, from lower bounds of their distances: the smooth minimum
// increases with both, so it is bounded too. If the other's distance is exact, it also excludes points too
// far from it to blend.
template <AnyLanes F>
BILLOW_ALWAYS_INLINE bool may_blend(F bound, F other, bool other_exact, float radius, F best) {
  constexpr float kRounding = 1e-5f;
  auto may = smooth_min(bound, other, radius) < best + kRounding;
  if (other_exact) may = may & (bound < other + (radius + kRounding));
  return any(may);
}

// The expensive distances where they matter: of candidates that may be nearest, then of those that may be
// nearest in a blend.
template <AnyLanes F, int kGroups>
void find_distances(const CandidateList& candidates, const BlendPairs& blends, const uint32_t* masks,
                    Nearest<F>* best, DistanceCache<F, kGroups>& cache) {
  for (int k = 0; k < candidates.count; ++k)
    for_each_group(masks[k] & ~cache.exact[k], [&](int g) {
      if (any(cache.of[k][g].phi < best[g].phi)) find_distance(candidates, k, g, best[g], cache);
    });
  for (int m = 0; m < blends.count; ++m) {
    const int k = blends.of[m].one, other = blends.of[m].other;
    const float radius = blends.of[m].radius;
    const uint32_t both_exact = cache.exact[k] & cache.exact[other];
    for_each_group(masks[k] & masks[other] & ~both_exact, [&](int g) {
      const bool exact = cache.exact[k] >> g & 1, other_exact = cache.exact[other] >> g & 1;
      const F one = cache.of[k][g].phi, two = cache.of[other][g].phi, limit = best[g].phi;
      if (!(exact ? may_blend(two, one, true, radius, limit)
                  : may_blend(one, two, other_exact, radius, limit)))
        return;
      if (!exact) find_distance(candidates, k, g, best[g], cache);
      if (!other_exact) find_distance(candidates, other, g, best[g], cache);
    });
  }
}

// The nearest surface of kGroups groups of points. On entry best[].phi is the limit; `masks` has the groups
// that each candidate can affect.
template <Ellipsoids kEllipsoids, AnyLanes F, int kGroups>
void find_nearest(const CandidateList& candidates, const uint32_t* masks, const Vec3<F>* p,
                  Nearest<F>* best) {
  const PosedCollider* colliders = candidates.colliders;
  DistanceCache<F, kGroups> cache;
  find_bounds<kEllipsoids>(candidates, masks, p, best, cache);
  const BlendPairs blends(candidates);
  find_distances(candidates, blends, masks, best, cache);
  // Blend candidates.
  for (int m = 0; m < blends.count; ++m) {
    const int k = blends.of[m].one, other = blends.of[m].other, i = candidates.indices[k];
    for_each_group(cache.exact[k] & cache.exact[other], [&](int g) {
      consider_blend(best[g], cache.of[k][g].phi, cache.of[other][g].phi, colliders[i], i);
    });
  }
  uint32_t groups = 0;
  for (int k = 0; k < candidates.count; ++k) groups |= masks[k];
  for_each_group(groups, [&](int g) {
    Nearest<F>& n = best[g];
    if (!any(n.first >= 0.0f)) return;
    n.gradient = gradient_of<kEllipsoids>(colliders, cache, g, n.first, p[g]);
    if (!any(n.blend > 0.0f)) return;
    const Vec3<F> other = gradient_of<kEllipsoids>(colliders, cache, g, n.second, p[g]);
    const Vec3<F> blended = n.gradient + (other - n.gradient) * n.blend;
    n.gradient = select(n.blend > 0.0f, normalized_or(blended, n.gradient), n.gradient);
  });
}

template <AnyLanes F> Nearest<F> nothing_within(F limit) {
  return {limit, lanes<F>(V3{0, 1, 0}), lanes<F>(-1.0f), lanes<F>(-1.0f), lanes<F>(0.0f)};
}

}  // namespace

Nearest4 nearest_surface(const CandidateList& candidates, V3x4 p, F4 limit) {
  // Skip colliders whose bounding sphere is too far to matter, blends included.
  uint8_t indices[kMaxColliders];
  uint32_t masks[kMaxColliders];
  CandidateList near{candidates.colliders, indices, 0};
  for (int k = 0; k < candidates.count; ++k) {
    const PosedCollider& c = candidates.colliders[candidates.indices[k]];
    V3x4 w = p - splat(c.bound_centre);
    F4 needed = max(limit + (c.collider->reach * c.scale + c.bound_radius), 0.0f);
    indices[near.count] = candidates.indices[k];
    masks[near.count] = 1;
    near.count += any(dot(w, w) < needed * needed);
  }
  Nearest4 best = nothing_within(limit);
  if (near.count > 0) find_nearest<Ellipsoids::kExact, F4, 1>(near, masks, &p, &best);
  return best;
}

void nearest_surfaces(const CandidateList& candidates, Ellipsoids ellipsoids, const uint32_t* masks,
                      const Vec3<F8>* points, const F8* limits, Nearest<F8>* out) {
  for (int g = 0; g < kQueryGroups; ++g) out[g] = nothing_within(limits[g]);
  if (ellipsoids == Ellipsoids::kExact)
    find_nearest<Ellipsoids::kExact, F8, kQueryGroups>(candidates, masks, points, out);
  else
    find_nearest<Ellipsoids::kBounds, F8, kQueryGroups>(candidates, masks, points, out);
}

namespace {

// Pairs of groups of four, to be evaluated as groups of eight; the last group may be paired with itself.
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

void nearest_surfaces(const CandidateSet& set, uint32_t groups, SdfQuery& query) {
  constexpr float kRounding = 1e-4f;
  if (!groups) return;
  const Pairs pairs(groups);
  Vec3<F8> p[kQueryGroups];
  Nearest<F8> best[kQueryGroups];
  F8 needed[kQueryGroups];
  for (int k = 0; k < pairs.count; ++k) {
    p[k] = pairs.of(query.x, k);
    const F8 limit = pairs.of(query.limit, k);
    best[k] = nothing_within(limit);
    needed[k] = limit + length(p[k] - pairs.of(set.from, k)) + kRounding;
  }
  // Skip candidates that are too far to matter, given how far the points have moved since the set was made.
  uint8_t indices[kMaxColliders];
  uint32_t masks[kMaxColliders];
  CandidateList near{set.list.colliders, indices, 0};
  for (int i = 0; i < set.list.count; ++i) {
    uint32_t mask = 0;
    for (int k = 0; k < pairs.count; ++k)
      mask |= uint32_t{any(pairs.of(set.lower_bound[i], k) < needed[k])} << k;
    indices[near.count] = set.list.indices[i];
    masks[near.count] = mask;
    near.count += mask != 0;
  }
  if (near.count > 0) find_nearest<Ellipsoids::kExact, F8, kQueryGroups>(near, masks, p, best);
  for (int k = 0; k < pairs.count; ++k) {
    const Nearest<F8>& n = best[k];
    query.near[pairs.low[k]] = {low_half(n.phi), low_half(n.gradient), low_half(n.first), low_half(n.second),
                                low_half(n.blend)};
    query.near[pairs.high[k]] = {high_half(n.phi), high_half(n.gradient), high_half(n.first),
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
