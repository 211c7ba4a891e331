// The one linear system behind tensions and impulses.
//
// Both ask for the smallest T >= 0 with A T >= b on the taut ropes, where A is the tri-diagonal Gram matrix
//   A_ii = w_{i-1} + w_i,   A_{i,i+1} = -w_i (l_i . l_{i+1})
// (paper, Equations tension_set and impulse_set, in acceleration form so that unequal masses are right; with
// equal masses it is the paper's system divided by M). Each row that is not tight has T_i = 0.
//
// When is a rope taut? Circling, it lands a hair inside its sphere. An exact test then drops the tension
// every other step; a coarse one holds the rope short of its length. So a rope counts as taut early
// (settings.tautness), and b leaves it room to take up the gap L - l by a fixed share (settings.gap_return)
// per sub-step. With gap_return = 0 this is the paper's rule.
#pragma once

#include "rope/chain_set.h"

namespace billow {

// A bone held by the body does not give way to its ropes: across the contact's normal n only, or not at all
// where contacts follow the history direction (which stops all motion relative to the body). For it w stands
// for w (keep - n n^T); A stays a tri-diagonal Gram matrix, and what hangs from the bone weighs on the body.
inline Hold4 hold_of(const ChainSet& set, size_t at) {
  F4 held = load(set.held + at);
  if (set.settings.velocity_along_history) return {1.0f - held, zero3()};
  return {splat(1.0f), load(set.touch_normal, at) * held};
}
inline F4 coupling(F4 w, const Hold4& h, V3x4 a, V3x4 b) {
  return w * (h.keep * dot(a, b) - dot(a, h.normal) * dot(b, h.normal));
}
inline V3x4 give_way(V3x4 push, const Hold4& h) { return push * h.keep - h.normal * dot(push, h.normal); }

// Loads the ropes of four chains and the matrix; `warm` are the rows that hold the last solution. With
// `contacts`, bones touching the body are held by it.
void load_system(ChainSet& set, int group, const float* warm, bool contacts);

enum class SweepOrder { kTipToRoot, kRootToTip };

// Solves four systems side by side, entries 1..count of `system`: diagonal, next (A_{i,i+1}), rhs and taut
// are given, `solution` is wanted and holds the warm start on entry.
void solve(RopeScratch& system, int count, const SolverSettings& settings, SweepOrder order);

}  // namespace billow
