// The one linear system behind tensions and impulses.
//
// Both ask for the smallest T >= 0 with A T >= b on the taut ropes, where A is the tri-diagonal Gram matrix
//   A_ii = w_{i-1} + w_i,   A_{i,i+1} = -w_i (l_i . l_{i+1})
// (paper, Equations tension_set and impulse_set, in acceleration form so that unequal masses are right; with
// equal masses it is the paper's system divided by M). Each row that is not tight has T_i = 0.
#pragma once

#include "rope/chain_set.h"

namespace billow {

// Loads the ropes of four chains and the matrix; `warm` are the rows that hold the last solution.
void load_system(ChainSet& set, int group, const float* warm);

enum class SweepOrder { kTipToRoot, kRootToTip };

// Solves four systems side by side, entries 1..count of `system`: diagonal, next (A_{i,i+1}), rhs and taut
// are given, `solution` is wanted and holds the warm start on entry.
void solve(RopeScratch& system, int count, const SolverSettings& settings, SweepOrder order);

}  // namespace billow
