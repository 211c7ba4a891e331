// Collision of four points with the body: where they end up, and what becomes of their velocity (paper,
// Section "Collisions"). The points are bones, or points on the segments between bones.
#pragma once

#include "rope/chain_set.h"
#include "sdf/query.h"

namespace billow {

// What a point needs to know about its surroundings during one sub-step.
struct Surroundings {
  const RopeSettings& settings;
  const PosedCollider* colliders;
  int count;
  float inverse_dt;
};

struct Push4 {
  V3x4 x;       // out of the body, by `clearance` or more
  M4 touched;   // lanes that were inside or hit something on the way
  V3x4 normal;  // N of the velocity rule: grad phi or r
  Nearest4 near;
};

// Within this of the wanted clearance counts as outside (metres).
inline constexpr float kContactTolerance = 1e-4f;

// Pushes points at x, which were at `before` at the sub-step's start, to at least `clearance` from the body.
// Lanes with a very negative clearance never touch anything.
Push4 push_out(const Surroundings& around, V3x4 x, V3x4 before, F4 clearance);

struct Response4 {
  V3x4 v;
  F4 power;  // change of velocity times the collider's velocity relative to `frame`, per unit mass
};

// The paper's velocity rule, with friction, for points at push.x.
Response4 respond(const Surroundings& around, const Push4& push, V3x4 v, V3x4 frame);

}  // namespace billow
