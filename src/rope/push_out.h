// Collision of four points with the body: where they end up (paper, Section "Collisions"). The points are
// bones, or points on the segments between bones.
#pragma once

#include "rope/chain_set.h"
#include "sdf/query.h"

namespace billow {

// What some groups of points need to know about their surroundings during one sub-step.
struct CollisionContext {
  const RopeSettings& settings;
  const PosedCollider* colliders;
  V3 common;  // motion that bones and colliders share over the sub-step
  float inverse_dt;
  float stick_distance;  // a path no longer than this is the start of a fall, not motion: see push_out

  CollisionContext(const RopeSettings& s, const PosedCollider* c, V3 moved, float dt)
      : settings(s),
        colliders(c),
        common(moved),
        inverse_dt(1.0f / dt),
        stick_distance(length(s.gravity) * dt * dt) {}

  // Of the groups at hand.
  int level = 0, first = 0;                // number of the first
  const BroadPhase* candidates = nullptr;  // of each
  CandidateSet reach;                      // colliders within reach of any of them at the sub-step's end
  uint8_t numbers[kMaxColliders];          // of these

  // Thin and fast enough to be passed through within the sub-step.
  CandidateList crossed(int group) const {
    return {colliders, candidates[group].crossing, candidates[group].crossing_count};
  }
};

// Four points at x that were at `before` at the sub-step's start.
struct Moved4 {
  V3x4 x, before;
  F4 clearance;  // wanted from the body; if very negative, they never touch anything
  F4 horizon;    // not less; the distance that is of interest
};

struct Push4 {
  V3x4 x;       // out of the body, by `clearance` or more
  M4 touched;   // lanes that were inside or hit something on the way
  M4 stuck;     // of those, lanes that went back to where the body carried them
  M4 inside;    // lanes that are still not out
  V3x4 normal;  // N of the velocity rule: grad phi or r
  Nearest4 near;
};

// Within this of the wanted clearance counts as outside (metres).
inline constexpr float kContactTolerance = 2e-5f;

// Where bones rest on the body, each sub-step begins to fall and is pushed back. Going back only about as far
// leaves them trembling; along the history direction they go back all the way to where the body carried them
// (stick).
//
// Pushes those of up to kQueryTogether groups of points that have a bit in `groups` to at least their clearance from
// the body. For lanes that touch nothing, near.phi is the distance, or the horizon if that is less.
// Returns the groups in which something touched.
uint32_t push_out(const CollisionContext& context, uint32_t groups, Moved4* points, Push4* out);

// Whether some points of a group could have passed through something on their way.
bool may_pass_through(const CollisionContext& context, int group, const Moved4& points);

}  // namespace billow
