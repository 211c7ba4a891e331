// Trains the networks of all patches of a garment at once: small ones, side by side, each from the bones that its patch
// sees to the coefficients of its basis. What is learnt is what the linear half leaves.
#pragma once

#include "learn/patch_fit.h"
#include "train/collision.h"
#include "train/stage.h"

namespace billow::train {

struct PatchTask {
  learn::PatchModel& model;                   // with bases and linear networks; gets layers
  const std::vector<learn::PatchRows>& rows;  // one entry a patch
  const learn::PatchSamples& samples;         // of the rows
  size_t learnt = 0, choosing = 0;  // samples to learn from, and after them those that choose the best epoch
  // What comes after these is looked at by the collision loss only.
  // Whose edges the data term looks at; NULL: none.
  const std::vector<std::array<uint32_t, 3>>* triangles = nullptr;
  const Scene* scene = nullptr;  // what the collision loss looks at; NULL: none
};

// Fills the layers of the model's networks. Throws as train_stage().
StageResult train_patches(PatchTask task, const StageOptions& options, const Run& run);

}  // namespace billow::train
