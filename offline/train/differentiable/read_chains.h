// Chains of the runtime as tensors, in float on the processor.
#pragma once

#include "runtime/chains.h"
#include "train/differentiable/chain_model.h"

namespace billow::train::differentiable {

// Throws std::invalid_argument with the name of a setting that the differentiable step does not know.
void check_supported(const Chains& chains);

// `body`: what they collide with; null: nothing.
ChainModel read_chains(const Chains& chains, const Body* body);
// One clip.
ChainState read_state(const Chains& chains);
// Places and rotations of the roots, [1, chains, 7]: where the last step left them.
Tensor read_roots(const Chains& chains);
// The learnt acceleration that the bones hold, [1, chains, bones, 3].
Tensor read_learnt(const Chains& chains);

}  // namespace billow::train::differentiable
