// Trains a garment: all patches at once; or, in the paper's form, a basis and a network for skinning, then both for the
// shape that skinning leaves to learn.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "learn/cloth_model.h"
#include "learn/frames.h"
#include "train/stage.h"

namespace billow::train {

// Frames that are learnt from, and frames that choose the best epoch.
struct Choice {
  std::vector<uint32_t> train, validation;
};
Choice choose_frames(const learn::Frames& frames, const Options& options);

struct StageRecord {
  std::string name;
  StageOptions options;
  int64_t components = 0;  // that there are; of a patch, the most
  double basis_seconds = 0, basis_explained = 0,
         basis_floor_mm = 0;  // what the basis leaves of the training frames
  double ridge_penalty = 0;   // of the linear path, if there is one
  StageResult result;
};

struct Record {
  std::string garment, device;
  Options options;
  Choice frames;
  size_t samples = 0;
  double seconds = 0;
  std::vector<StageRecord> stages;
};
std::string to_json(const Record& record);

struct TrainRun {
  std::string
      checkpoints;  // files begin with this, a stage's name follows; empty: none. What is there is taken up
  double checkpoint_seconds = 60;
  std::function<void(const Progress&)> report;
  std::function<void(const std::string&)> say;  // what begins now, a line
};

struct Result {
  learn::ClothModel model;
  Record record;
};

// The two forms; train() takes the one that the options name.
Result train_by_patches(const learn::Frames& frames, const Options& options, const TrainRun& run);
Result train_whole(const learn::Frames& frames, const Options& options, const TrainRun& run);

// Throws std::invalid_argument for options that make no sense, std::runtime_error as train_stage().
Result train(const learn::Frames& frames, const Options& options, const TrainRun& run = {});

}  // namespace billow::train
