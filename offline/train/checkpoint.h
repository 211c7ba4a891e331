// All that a training needs to go on: written beside and renamed. For the sources of this folder only, as mlp.h.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "train/mlp.h"
#include "train/stage.h"

namespace billow::train {

struct TrainingState {
  std::string fingerprint;  // of the task
  std::vector<torch::Tensor> parameters;
  Adams adams;  // of some parameters each
  std::vector<Epoch> epochs;
  int best = 0;
  std::vector<torch::Tensor> best_parameters;
};

void save_checkpoint(const std::filesystem::path& path, TrainingState& state);
// False if there is no such file. Throws std::runtime_error if it belongs to another task or is damaged.
bool load_checkpoint(const std::filesystem::path& path, TrainingState& state);

}  // namespace billow::train
