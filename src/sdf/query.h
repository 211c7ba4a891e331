// The body as one signed distance function: the union of its colliders, some blended smoothly.
#pragma once

#include <cstdint>

#include "sdf/body.h"
#include "sdf/shapes.h"

namespace billow {

// The nearest surface of four points, and what moves it: collider `first`, blended by `blend` (0 to 1/2)
// with collider `second` where two colliders merge. Indices are kept as floats to stay in lanes.
struct Nearest4 {
  F4 phi;
  V3x4 gradient;
  F4 first;
  F4 second;
  F4 blend;
};

// Distance to one collider.
Distance4 distance_to(const PosedCollider& c, V3x4 p);

// Some of the body's colliders, by number, in rising order.
struct Obstacles {
  const PosedCollider* colliders = nullptr;
  const uint8_t* numbers = nullptr;
  int count = 0;
};
Obstacles all_of(const PosedCollider* colliders, int count);

// Distance to the union, exact where it is below `limit`; elsewhere phi = limit and first = -1.
Nearest4 nearest_surface(const Obstacles& obstacles, V3x4 p, F4 limit);

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
