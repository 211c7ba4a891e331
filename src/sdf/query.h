// The body as one signed distance function: the union of its colliders, some blended smoothly.
#pragma once

#include <bit>
#include <cstdint>

#include "sdf/body.h"
#include "sdf/shapes.h"

namespace billow {

// The nearest surface of some points, and what moves it: collider `first`, blended by `blend` (0 to 1/2)
// with collider `second` where two colliders merge. Indices are kept as floats to stay in lanes.
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

// Some of the body's colliders, by number, in rising order.
struct CandidateList {
  const PosedCollider* colliders = nullptr;
  const uint8_t* numbers = nullptr;
  int count = 0;
};
CandidateList all_of(const PosedCollider* colliders, int count);

// Which obstacles merge, by their places among them: each with an earlier one.
struct Merges {
  int count = 0;
  struct {
    uint8_t one, other;
    float radius;
  } of[kMaxColliders];

  explicit Merges(const CandidateList& obstacles) {
    uint8_t place[kMaxColliders] = {};  // by number; 0 for those that are not there, too
    for (int k = 0; k < obstacles.count; ++k) {
      const PosedCollider& c = obstacles.colliders[obstacles.numbers[k]];
      place[obstacles.numbers[k]] = static_cast<uint8_t>(k);
      const int with = c.collider->blend_with;
      if (with < 0 || obstacles.numbers[place[with]] != with) continue;
      of[count++] = {static_cast<uint8_t>(k), place[with], c.collider->blend_radius * c.scale};
    }
  }
};

// Polynomial smooth minimum of radius k: equal to min(a, b) where |a - b| >= k, at most k/4 lower elsewhere.
// `weight` is b's share, which is also the derivative, so the gradient blends by it.
template <AnyLanes F> BILLOW_ALWAYS_INLINE F smooth_min(F a, F b, float k, F& weight) {
  weight = clamp(0.5f + (a - b) * (0.5f / k), 0.0f, 1.0f);
  return a + (b - a) * weight - k * weight * (1.0f - weight);
}
template <AnyLanes F> BILLOW_ALWAYS_INLINE F smooth_min(F a, F b, float k) {
  F weight;
  return smooth_min(a, b, k, weight);
}

// Distance to the union, exact where it is below `limit`; elsewhere phi = limit and first = -1.
Nearest4 nearest_surface(const CandidateList& obstacles, V3x4 p, F4 limit);

// Calls f(group) for each bit.
template <class Function> inline void for_each_group(uint32_t groups, Function f) {
  for (; groups; groups &= groups - 1) f(std::countr_zero(groups));
}

// What counts as the distance of an ellipsoid: the distance, or the bound that its solver starts from, which is no more than it, exact on
// the surface, and near it off by little.
enum class Ellipsoids { kExact, kBounds };

// The same for several groups of eight points at once. `wanted`: for each obstacle the groups (one bit each) that
// it can matter to. Groups that nothing is wanted for are left with the limit.
inline constexpr int kQueryGroups = 4;
void nearest_surfaces(const CandidateList& obstacles, Ellipsoids ellipsoids, const uint32_t* wanted,
                      const Vec3<F8>* points, const F8* limits, Nearest<F8>* out);

inline constexpr int kQueryTogether = 2 * kQueryGroups;  // groups of four

// CandidateList of several groups of four points that do not move far, and how far these are from where the points were first.
struct CandidateSet {
  CandidateList obstacles;
  V3x4 from[kQueryTogether];
  F4 least[kMaxColliders][kQueryTogether];  // no more than the distance less the collider's reach
};

// What is asked about each of the groups, and the answer.
struct SdfQuery {
  V3x4 x[kQueryTogether];
  F4 limit[kQueryTogether];
  Nearest4 near[kQueryTogether];
};

// nearest_surface() for those groups that have a bit in `groups`. Side by side they wait less for their roots and divisions.
void nearest_surfaces(const CandidateSet& around, uint32_t groups, SdfQuery& question);

// Where points that stood at x at the sub-step's start are carried by the collider(s) named in `near`
// (the paper's x_B^n).
V3x4 embed(const PosedCollider* colliders, const Nearest4& near, V3x4 x);

// Velocity of the (extended) body at points x at the sub-step's end (the paper's v_phi).
V3x4 body_velocity(const PosedCollider* colliders, const Nearest4& near, V3x4 x, float inverse_dt);

// One collider's part of embed().
inline V3x4 embed_with(const PosedCollider& c, V3x4 x) {
  if (!c.moving) return x;
  return apply(c.turn, x - splat(c.centre_before)) + splat(c.transform.position);
}

}  // namespace billow
