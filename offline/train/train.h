// Trains the patch model of a garment, and keeps the record of a training.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "learn/frames.h"
#include "learn/patch_model.h"
#include "train/stage.h"

namespace billow::train {

struct FrameSplit {
  std::vector<uint32_t> train, validation;
};
FrameSplit split_frames(const learn::Frames& frames, const Options& options);

struct StageRecord {
  std::string name;
  StageOptions options;
  int64_t components = 0;  // of the basis
  double basis_seconds = 0, basis_explained = 0,
         basis_floor_mm = 0;  // PCA residual of the training frames
  double ridge_penalty = 0;   // of the linear path, if there is one
  StageResult result;
};

struct Record {
  std::string garment, device;
  Options options;
  FrameSplit frames;
  size_t samples = 0;
  double seconds = 0;
  std::vector<StageRecord> stages;
};
std::string to_json(const Record& record);

struct TrainRun {
  std::string
      checkpoints;  // path prefix of checkpoint files, followed by a stage's name; empty: none. Existing ones are resumed
  double checkpoint_seconds = 60;
  std::function<void(const Progress&)> report;
  std::function<void(const std::string&)> log;  // one line a stage of the training
};

struct Result {
  learn::ClothModel model;
  Record record;
};

// Throws std::invalid_argument for invalid options or those of another form, std::runtime_error as train_stage().
Result train(const learn::Frames& frames, const Options& options, const TrainRun& run = {});

}  // namespace billow::train
