// Push-out of points from the body (paper, Section "Collisions"). The points are bones, or samples on the
// segments between bones.
#pragma once

#include "rope/chain_set.h"
#include "sdf/yielding.h"

namespace billow {

// Inputs of the collision of some groups of points during one sub-step: settings, colliders and candidates.
struct CollisionContext {
  const RopeSettings& settings;
  const PosedCollider* colliders;
  V3 common;  // displacement that bones and colliders share over the sub-step
  float inverse_dt;
  float stick_distance;  // a path shorter than this is the start of a fall, not motion: see push_out()

  CollisionContext(const RopeSettings& s, const PosedCollider* c, V3 moved, float dt)
      : settings(s),
        colliders(c),
        common(moved),
        inverse_dt(1.0f / dt),
        stick_distance(length(s.gravity) * dt * dt) {}

  // Of the current groups, set by use_candidates().
  int level = 0, first = 0;                 // level, and index of the first group
  const BroadPhase* broad_phase = nullptr;  // per group
  CandidateSet candidates;                  // colliders within reach of any group at the sub-step's end
  CandidateSet limbs;  // of these, those that yield (sdf/yielding.h); `candidates` are rigid
  uint8_t indices[kMaxColliders], limb_indices[kMaxColliders];

  // nearest_surface() and nearest_surfaces() of the candidates, yielding ones included.
  Nearest4 nearest(V3x4 p, F4 limit) const;
  void nearest(uint32_t groups, SdfQuery& query) const;
  // ChainSet::grip on what is nearest.
  F4 grip_on(const Nearest4& near) const;

  // Colliders that are thin and fast enough to be passed through within the sub-step.
  CandidateList swept(int group) const {
    return {colliders, broad_phase[group].swept, broad_phase[group].swept_count};
  }
};

// Four points at x that were at `before` at the sub-step's start.
struct Moved4 {
  V3x4 x, before;
  F4 clearance;  // required from the body; if very negative, the points never touch anything
  F4 horizon;    // range of the distance query, not less than the clearance
};

struct Push4 {
  V3x4 x;       // outside the body by `clearance` or more
  M4 touched;   // lanes that were inside, or hit something on the way
  M4 stuck;     // of those, lanes that returned to where the body carried them
  M4 inside;    // lanes that are still inside
  V3x4 normal;  // N of the velocity rule: grad phi or r
  Nearest4 near;
};

// A point this much below its clearance still counts as outside (metres).
inline constexpr float kContactTolerance = 2e-5f;

// Pushes the groups of points whose bit is set in `groups`, up to kQueryBatch, to at least their clearance
// from the body. For lanes that touch nothing, near.phi is the distance, or the horizon if that is less.
// Returns the groups in which something touched.
//
// Bones that rest on the body begin to fall in each sub-step and are pushed back. Pushed back by only about
// as much, they tremble. So along the history direction they return exactly to where the body carried them:
// they stick.
uint32_t push_out(const CollisionContext& context, uint32_t groups, Moved4* points, Push4* out);

// Whether a point of a group may have passed through a collider on its way.
bool may_pass_through(const CollisionContext& context, int group, const Moved4& points);

}  // namespace billow
