// The body as one signed distance function: the union of its colliders, some blended smoothly.
#pragma once

#include <bit>
#include <cstdint>

#include "sdf/body.h"
#include "sdf/shapes.h"

namespace billow {

// The nearest surface of some points, and the colliders it moves with: `first` (-1: none), and where two
// colliders blend, `second` with the weight `blend` (0 to 1/2). Indices are stored as floats to stay in
// lanes.
template <AnyLanes F> struct Nearest {
  F phi;
  Vec3<F> gradient;
  F first;
  F second;
  F blend;
};
using Nearest4 = Nearest<F4>;

// Distance to one collider.
Distance4 distance_to(const PosedCollider& c, V3x4 p);

// Some of the body's colliders, by index in ascending order.
struct CandidateList {
  const PosedCollider* colliders = nullptr;
  const uint8_t* indices = nullptr;
  int count = 0;
};
CandidateList all_of(const PosedCollider* colliders, int count);

// Pairs of candidates that blend, by their positions in the list: each with an earlier one.
struct BlendPairs {
  int count = 0;
  struct {
    uint8_t one, other;
    float radius;
  } of[kMaxColliders];

  explicit BlendPairs(const CandidateList& candidates) {
    uint8_t slot[kMaxColliders] = {};  // position in the list by collider index; also 0 if not in the list
    for (int k = 0; k < candidates.count; ++k) {
      const PosedCollider& c = candidates.colliders[candidates.indices[k]];
      slot[candidates.indices[k]] = static_cast<uint8_t>(k);
      const int with = c.blend_with;
      if (with < 0 || candidates.indices[slot[with]] != with) continue;
      of[count++] = {static_cast<uint8_t>(k), slot[with], c.collider->blend_radius * c.scale};
    }
  }
};

// Polynomial smooth minimum of radius k: equal to min(a, b) where |a - b| >= k, at most k/4 lower elsewhere.
// `weight` is the weight of b, which is also the derivative by b, so gradients blend by it.
template <AnyLanes F> BILLOW_HD BILLOW_ALWAYS_INLINE F smooth_min(F a, F b, float k, F& weight) {
  weight = clamp(0.5f + (a - b) * (0.5f / k), 0.0f, 1.0f);
  return a + (b - a) * weight - k * weight * (1.0f - weight);
}
template <AnyLanes F> BILLOW_HD BILLOW_ALWAYS_INLINE F smooth_min(F a, F b, float k) {
  F weight;
  return smooth_min(a, b, k, weight);
}

// Distance to the union, exact where it is below `limit`; elsewhere phi = limit and first = -1.
Nearest4 nearest_surface(const CandidateList& candidates, V3x4 p, F4 limit);

// Calls f(group) for each bit that is set.
template <class Function> inline void for_each_group(uint32_t groups, Function f) {
  for (; groups; groups &= groups - 1) f(std::countr_zero(groups));
}

// How the distance of an ellipsoid is found: exactly, or as the lower bound that its solver starts from,
// which is exact on the surface and close to the distance near it.
enum class Ellipsoids { kExact, kBounds };

// The same for several groups of eight points at once. `masks` has for each candidate the groups (one bit
// each) whose result it can affect. Groups without candidates keep the limit.
inline constexpr int kQueryGroups = 4;
void nearest_surfaces(const CandidateList& candidates, Ellipsoids ellipsoids, const uint32_t* masks,
                      const Vec3<F8>* points, const F8* limits, Nearest<F8>* out);

inline constexpr int kQueryBatch = 2 * kQueryGroups;  // groups of four per SdfQuery

// Candidates of several groups of four points that do not move far from where they were when the set was
// made.
struct CandidateSet {
  CandidateList list;
  V3x4 from[kQueryBatch];                      // the points when the set was made
  F4 lower_bound[kMaxColliders][kQueryBatch];  // of their distance less the collider's reach
};

// A query for each of the groups: points and limits in, nearest surfaces out.
struct SdfQuery {
  V3x4 x[kQueryBatch];
  F4 limit[kQueryBatch];
  Nearest4 near[kQueryBatch];
};

// nearest_surface() for the groups whose bit is set in `groups`. Together, so that the latencies of square
// roots and divisions overlap.
void nearest_surfaces(const CandidateSet& set, uint32_t groups, SdfQuery& query);

// Where the collider(s) of `near` carry points that were at x at the sub-step's start (the paper's x_B^n).
V3x4 embed(const PosedCollider* colliders, const Nearest4& near, V3x4 x);

// Velocity of the (extended) body at points x at the sub-step's end (the paper's v_phi).
V3x4 body_velocity(const PosedCollider* colliders, const Nearest4& near, V3x4 x, float inverse_dt);

// embed() by one collider.
inline V3x4 embed_with(const PosedCollider& c, V3x4 x) {
  if (!c.moving) return x;
  return apply(c.delta_rotation, x - splat(c.centre_before)) + splat(c.transform.position);
}

}  // namespace billow
