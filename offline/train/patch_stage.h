// Trains all networks of a patch model side by side, each from the features of its patch to the residual that its linear path
// leaves in the coefficients. A patch and its mirror image share a network.
#pragma once

#include "learn/patch_fit.h"
#include "train/stage.h"

namespace billow::train {

struct PatchTask {
  learn::PatchModel& model;                   // with bases and linear paths; gets layers
  const std::vector<learn::PatchRows>& rows;  // one entry a network
  const learn::PatchSamples& samples;         // of the rows
  // Numbers of samples, in this order: training and validation samples on embedded bones, then the same on rope bones, which
  // have surface losses only. Either all frames have mirror images or none.
  size_t train = 0, validation = 0, rope_train = 0, rope_validation = 0;
  const garment::Garment* garment = nullptr;  // for losses on edges; NULL: none
  const Scene* scene = nullptr;               // for surface losses; NULL: none
};

// Fills the layers of the model's networks. Throws as train_stage().
StageResult train_patches(PatchTask task, const StageOptions& options, const Run& run);

}  // namespace billow::train
