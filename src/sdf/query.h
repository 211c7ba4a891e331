// The body as one signed distance function: the union of its colliders, some blended smoothly.
#pragma once

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

// No more than that, and cheaper: for points that are likely to be far.
F8 least_distance_to(const PosedCollider& c, const Vec3<F8>& p);

// Some of the body's colliders, by number, in rising order.
struct Obstacles {
  const PosedCollider* colliders = nullptr;
  const uint8_t* numbers = nullptr;
  int count = 0;
};
Obstacles all_of(const PosedCollider* colliders, int count);

// Distance to the union, exact where it is below `limit`; elsewhere phi = limit and first = -1.
Nearest4 nearest_surface(const Obstacles& obstacles, V3x4 p, F4 limit);

// The same for several groups of eight points at once. `wanted`: for each obstacle the groups (one bit each) that
// it can matter to. Groups that nothing is wanted for are left with the limit.
inline constexpr int kQueryGroups = 4;
void nearest_surfaces(const Obstacles& obstacles, const uint32_t* wanted, const Vec3<F8>* points,
                      const F8* limits, Nearest<F8>* out);

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
