// Folds that meet push each other apart, as rope/find_self_contacts.cpp.
#pragma once

#include "train/differentiable/chain_model.h"

namespace billow::train::differentiable {

// The sides that the runtime remembers, [1, chains, bones, slots].
Tensor read_sides(const ChainSet& set);
// None is remembered.
Tensor no_sides(const ChainModel& model, const Tensor& x);

// Accelerations that act throughout the sub-step, [clips, chains, bones, 3]; sets on which sides bones are from now on.
Tensor find_self_contacts(const ChainModel& model, const Tensor& x, const Tensor& step, Tensor& sides);

}  // namespace billow::train::differentiable
