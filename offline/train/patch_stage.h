// Trains the networks of all patches of a garment at once: small ones, side by side, each from the bones that its patch
// sees to the coefficients of its basis. Two patches that are each other's mirror images have one network. What is learnt is what the linear half leaves.
#pragma once

#include "learn/patch_fit.h"
#include "train/collision.h"
#include "train/stage.h"

namespace billow::train {

struct PatchTask {
  learn::PatchModel& model;                   // with bases and linear networks; gets layers
  const std::vector<learn::PatchRows>& rows;  // one entry a network
  const learn::PatchSamples& samples;         // of the rows
  // Samples to learn from, after them those that choose the best epoch; then the same of rope chains, which are asked for their surface
  // alone. All of them with their mirror images, or none.
  size_t learnt = 0, choosing = 0, ropes = 0, choosing_ropes = 0;
  const garment::Garment* garment = nullptr;  // whose edges count; NULL: none
  const Scene* scene = nullptr;               // what collisions are with; NULL: neither they nor lengths
};

// Fills the layers of the model's networks. Throws as train_stage().
StageResult train_patches(PatchTask task, const StageOptions& options, const Run& run);

}  // namespace billow::train
