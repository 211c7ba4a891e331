// What chains are made of, and their state, as tensors. Lengths in m, masses in kg, time in s.
#pragma once

#include "rope/chain_set.h"
#include "train/differentiable/body_field.h"
#include "train/differentiable/tensor_math.h"

namespace billow::train::differentiable {

// Chains of one garment. Every tensor may be replaced by one that requires a gradient. Bones that a shorter chain lacks have
// is_bone 0, and so do roots.
struct ChainModel {
  RopeSettings settings;  // what is not in a tensor below
  bool neighbours = false, closed = false;

  // [chains, bones, 1], as in ChainSet.
  Tensor is_bone, mass, max_length, radius, drag, damping, shrink, rest_angle;
  Tensor stretch, compression, shear;  // of the springs to the next chain
  Tensor lateral_length, lateral_longest, panel_area,
      panel_diagonal;  // to and of the next chain; -1: there is none
  Tensor loose_area;
  Tensor rest_direction;  // [chains, bones, 3], in the frame of the root

  // [1] or [3].
  Tensor gravity, wind, global_damping, panel_drag, panel_lift, panel_folds, air_density, friction,
      self_contact;

  BodyShape body;  // no colliders: none

  int64_t chains() const { return is_bone.size(0); }
  int64_t bones() const { return is_bone.size(1); }
  Tensor w() const;  // 1 / mass; 0 for roots
  // The same chains elsewhere, or in another precision.
  ChainModel to(const torch::TensorOptions& options) const;
};

struct ChainState {
  Tensor x, v;         // [clips, chains, bones, 3]
  Tensor energy_lost;  // [clips, chains, 1, 1]: see rope/guard_energy.cpp
  Tensor
      sides;  // [clips, chains, bones, slots]: 1 in front of a panel, -1 behind it, 0 neither; undefined: none

  ChainState detach() const;
};

}  // namespace billow::train::differentiable
