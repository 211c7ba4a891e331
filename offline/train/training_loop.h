// The epoch loop shared by all trainings: resumes from a checkpoint, keeps the best epoch, writes checkpoints, reports
// progress. Includes torch: for sources of this folder only, as mlp.h.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "train/mlp.h"
#include "train/stage.h"

namespace billow::train {

// Everything a checkpoint stores.
struct TrainingState {
  std::string fingerprint;  // identifies task, options and data
  std::vector<torch::Tensor> parameters;
  Adams adams;  // one optimiser for each group of parameters
  std::vector<Epoch> epochs;
  int best = 0;
  std::vector<torch::Tensor> best_parameters;
};

// Writes a temporary file and renames it.
void save_checkpoint(const std::filesystem::path& path, TrainingState& state);
// Returns false if there is no such file. Throws std::runtime_error if its fingerprint differs or it is damaged.
bool load_checkpoint(const std::filesystem::path& path, TrainingState& state);

struct TrainingLoop {
  std::string name;  // in messages
  const StageOptions& options;
  const Run& run;
  TrainingState& state;                 // set all members but the epochs and the best
  std::function<Epoch()> begin;         // evaluates the initial parameters: epoch 0
  std::function<Epoch(int)> run_epoch;  // trains epoch 1, 2, ...
};
// Leaves the parameters of the best epoch in place. Epochs without surface terms are not candidates once there is one with them.
StageResult run_epochs(const TrainingLoop& loop, const torch::Device& device);

// Whether the loss of an epoch has surface terms: collisions and edge lengths.
bool surface_terms_active(const StageOptions& options, int epoch);

// Throws std::runtime_error with the epoch and advice where `loss` is not finite.
void check_finite(double loss, const std::string& name, const Epoch& epoch, const TrainingState& state);

}  // namespace billow::train
