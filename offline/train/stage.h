// Trains one network: from the displacements of all bones to the coefficients of one basis.
//
//   loss = data_weight * mean |c - c*|^2 + collision weight * mean sum |x - target|^2 + length_weight * mean sum (l - L)^2
//
// c*: coefficients of the truth. As the basis is orthonormal, |c - c*|^2 is the squared distance of all vertices, but for
// what no coefficients can express, which is constant.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "learn/model.h"
#include "train/collision.h"
#include "train/edges.h"
#include "train/options.h"

namespace billow::train {

// Samples that the data term sees, and more that only the collision term does.
struct SampleSet {
  std::vector<uint32_t> learn, collide;
};

// A row a sample.
struct StageTask {
  std::string name;  // in messages and files: "skinning"
  Matrix inputs;     // displacements of bones
  Matrix truth;      // coefficients of the truth
  Vector outside;    // m2: what of the truth no coefficients can express; for figures only
  Matrix frozen;     // coefficients of the stage before, which the collision term adds; may be empty
  std::vector<uint32_t> frames;  // whose body and truth a sample has
  SampleSet train, validation;
  // Scales the inputs and has the linear path, if there is one, to which layers are added.
  learn::Network start;
  size_t vertices = 0;
  CollisionTerm* collision = nullptr;  // NULL: none
  const EdgeTerm* edges = nullptr;     // NULL: none
};

struct Epoch {
  int number = 0;  // 0: as it began
  double rate = 0, seconds = 0;
  double loss = 0, validation_loss = 0;
  double rmse_mm = 0, validation_rmse_mm = 0;            // of vertices
  double near_percent = 0, validation_near_percent = 0;  // of vertices nearer than the buffer
};

struct Progress {
  std::string stage;
  Epoch epoch;
  int epochs = 0, best = 0;
  double seconds_left = 0;
};

struct Run {
  uint64_t seed = 1;
  Device device = Device::kAuto;
  std::filesystem::path checkpoint;  // empty: none. Written now and then, taken up if it is there
  double checkpoint_seconds = 60;
  std::function<void(const Progress&)> report;  // after each epoch; what it throws ends the training
};

struct StageResult {
  learn::Network network;  // of the best epoch
  std::vector<Epoch> epochs;
  int best = 0;
  double seconds = 0;
  std::string device;
};

// Throws std::runtime_error if a loss is not finite or a checkpoint is of another task.
StageResult train_stage(const StageTask& task, const StageOptions& options, const Run& run);

// "cuda" or "cpu". Throws std::runtime_error if CUDA is asked for and there is none.
std::string device_name(Device device);

}  // namespace billow::train
