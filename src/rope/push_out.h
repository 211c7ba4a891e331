// Collision of four points with the body: where they end up (paper, Section "Collisions"). The points are
// bones, or points on the segments between bones.
#pragma once

#include "rope/chain_set.h"
#include "sdf/query.h"

namespace billow {

// What a point needs to know about its surroundings during one sub-step.
struct Surroundings {
  const RopeSettings& settings;
  Obstacles obstacles;  // within reach at the sub-step's end
  Obstacles crossed;    // thin and fast enough to be passed through within it
  V3 common;            // motion that bones and colliders share over the sub-step
  float inverse_dt;
  float stick_distance;  // a path no longer than this is the start of a fall, not motion: see push_out

  bool nothing() const { return obstacles.count == 0 && crossed.count == 0; }
};

struct Push4 {
  V3x4 x;       // out of the body, by `clearance` or more
  M4 touched;   // lanes that were inside or hit something on the way
  M4 stuck;     // of those, lanes that went back to where the body carried them
  V3x4 normal;  // N of the velocity rule: grad phi or r
  Nearest4 near;
};

// Within this of the wanted clearance counts as outside (metres).
inline constexpr float kContactTolerance = 2e-5f;

// Where bones rest on the body, each sub-step begins to fall and is pushed back. Going back only about as far
// leaves them trembling; along the history direction they go back all the way to where the body carried them
// (stick).
//
// Pushes points at x, which were at `before` at the sub-step's start, to at least `clearance` from the body.
// Lanes with a very negative clearance never touch anything. For lanes that touch nothing, near.phi is the
// distance, or `horizon` if that is less.
Push4 push_out(const Surroundings& around, V3x4 x, V3x4 before, F4 clearance, F4 horizon);

// Whether points that moved from `before` to x could have passed through something on the way.
bool may_pass_through(const Surroundings& around, V3x4 x, V3x4 before, F4 clearance);

}  // namespace billow
