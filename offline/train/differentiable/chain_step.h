// The chain step of the runtime (docs/pipeline.md) in tensors, batched over clips and chains, so that settings, forces and states
// have gradients. It runs where its tensors are, on a processor or a GPU, in their precision.
//
// Differentiated: all forces, tensions and impulses (through the tri-diagonal system of the ropes that pull), damping, the position
// update on straight line and great circle, pushes out of the body, velocities in contact with friction, the energy guard's factor
// and friction within cloth. A surface has its distance, its normal and the normal's change along it.
//
// Taken from the values, and constant to the gradient: the number of sub-steps, which ropes are taut and which of these pull, which
// bones, ropes and lateral segments touch, what they touch, which contacts are released or stick, whether the guard limits a
// chain, on which side of panels bones are, where the swept test stops a bone, and how far a rope is shortened whose bone is
// trapped. At a change of these the motion has a kink or a jump, and the gradient is that of one side.
//
// Unlike in the runtime nothing teleports, sleeps, recovers from values that are not finite or carries a moving space along.
// Settings that are not known here are refused when they are read (read_chains.h).
#pragma once

#include <functional>

#include "train/differentiable/chain_model.h"

namespace billow::train::differentiable {

// One frame of all clips.
struct FrameInput {
  double dt = 0;                        // s
  Tensor roots_from, roots_to;          // [clips, chains, 7]: position and rotation
  Tensor colliders_from, colliders_to;  // [clips, colliders, 7]; undefined: no body
  Tensor learnt;  // [clips, chains, bones, 3], m/s2, held for the frame; undefined: none
};

// The state at the end of the frame. Sub-steps are counted for each clip as the runtime counts them.
ChainState step(const ChainModel& model, const ChainState& state, const FrameInput& input);

// Number of sub-steps that each clip takes, [clips].
Tensor count_substeps(const ChainModel& model, const ChainState& state, double dt);

}  // namespace billow::train::differentiable
