// The one linear system behind tensions and impulses.
//
// Both are the smallest T >= 0 with A T >= b on the taut ropes, where A is the tri-diagonal Gram matrix
//   A_ii = w_{i-1} + w_i,   A_{i,i+1} = -w_i (l_i . l_{i+1})
// (paper, Equations tension_set and impulse_set, in acceleration form so that unequal masses are right; with
// equal masses it is the paper's system divided by M). Each row that is not tight has T_i = 0.
//
// Tautness: a rope that rotates ends a step slightly shorter than its maximum. An exact test would then drop
// the tension every other step; a coarse one would keep the rope short. So a rope counts as taut early
// (settings.tautness), and b lets it close a fixed fraction (settings.gap_return) of the gap L - l per
// sub-step. With gap_return = 0 this is the paper's rule.
#pragma once

#include "rope/chain_set.h"

namespace billow {

// A bone that the body holds yields to its ropes only across the contact normal n, or not at all where friction
// makes it stick (held 2) or contacts follow the history direction (which stops all motion relative to the
// body). For it, w (keep - n n^T) replaces w; A stays a tri-diagonal Gram matrix, and the body carries what
// hangs from the bone.
inline Hold4 hold_of(const ChainSet& set, size_t at) {
  F4 held = load(set.held + at);
  M4 sticks =
      set.settings.velocity_along_history ? (held > 0.0f) & (load(set.grip + at) > 0.0f) : held > 1.0f;
  return {select(sticks, zero(), splat(1.0f)), select(sticks, zero3(), load(set.touch_normal, at) * held)};
}
inline F4 coupling(F4 w, const Hold4& h, V3x4 a, V3x4 b) {
  return w * (h.keep * dot(a, b) - dot(a, h.normal) * dot(b, h.normal));
}
// The part of an impulse that the bone yields to.
inline V3x4 free_part(V3x4 push, const Hold4& h) { return push * h.keep - h.normal * dot(push, h.normal); }

// Loads the ropes of four chains and assembles the matrix. `warm` has the last solution, for a warm start.
// The body holds bones that touch it, of the chains in `held`.
void load_system(ChainSet& set, int group, const float* warm, M4 held);

enum class SweepOrder { kTipToRoot, kRootToTip };

// Solves four systems side by side, entries 1..count of `system`. Inputs are diagonal, next (A_{i,i+1}), rhs
// and taut; the output is `solution`, which has the warm start on entry.
void solve(RopeScratch& system, int count, const SolverSettings& settings, SweepOrder order);

}  // namespace billow
