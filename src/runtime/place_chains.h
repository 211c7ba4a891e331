// Where chains are put, rather than simulated: spawning, teleports, moving spaces, pauses, recovery.
#pragma once

#include "runtime/chains.h"

namespace billow {

// Before the sub-steps: spawn on first use, teleport over the thresholds, let the space carry what is not
// felt, and note where roots and colliders start from.
void prepare_frame(Chains& chains, const StepInput& in);

// After them: the roots' and the space's place becomes the past.
void finish_frame(Chains& chains, const StepInput& in);

// Resets chains with non-finite values. True if there were any.
bool recover_non_finite(Chains& chains);

}  // namespace billow
