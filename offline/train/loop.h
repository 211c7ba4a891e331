// The epochs of a training, whatever is trained: resumes, keeps the best, writes checkpoints, tells how far it is. For the
// sources of this folder only, as mlp.h.
#pragma once

#include "train/checkpoint.h"

namespace billow::train {

struct Loop {
  std::string name;  // in messages
  const StageOptions& options;
  const Run& run;
  TrainingState& state;                 // all but epochs and the best of them have to be there
  std::function<Epoch()> begin;         // what is, before anything is learnt
  std::function<Epoch(int)> run_epoch;  // trains epoch 1, 2, ...
};
// The parameters are then those of the best epoch: of those with all terms, where some have none on the surface.
StageResult run_epochs(const Loop& loop, const torch::Device& device);

// Whether terms on the surface, collisions and lengths, are there in an epoch.
bool sees_surface(const StageOptions& options, int epoch);

// Throws std::runtime_error that says when it happened and what to do.
void check_finite(double loss, const std::string& name, const Epoch& epoch, const TrainingState& state);

}  // namespace billow::train
