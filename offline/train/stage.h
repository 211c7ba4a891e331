// Trains one network from the displacements of all bones to the coefficients of one basis, as the correction of rope bones
// and the whole-cloth model have them.
//
//   loss = data_weight * mean |c - c*|^2 + collision weight * mean sum |x - target|^2 + length_weight * mean sum (l - L)^2
//
// c*: coefficients of the true cloth. The basis is orthonormal, so |c - c*|^2 is the squared error of all vertices up to the
// constant PCA residual.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "learn/model.h"
#include "train/options.h"
#include "train/vertex_losses.h"

namespace billow::train {

using Clock = std::chrono::steady_clock;
inline double seconds_since(Clock::time_point t) {
  return std::chrono::duration<double>(Clock::now() - t).count();
}

// Samples of the data term, and additional ones of the collision term only.
struct SampleSet {
  std::vector<uint32_t> data, collision_only;
};

// One row a sample.
struct StageTask {
  std::string name;     // in messages and file names: "skinning"
  Matrix inputs;        // displacements of bones
  Matrix truth;         // coefficients of the true cloth
  Vector pca_residual;  // m2: squared residual of the truth outside the basis; for reported errors only
  Matrix frozen;        // coefficients of the earlier stage, for losses on vertices; may be empty
  std::vector<uint32_t> frames;  // frame of each sample in the scene
  SampleSet train, validation;
  learn::Network
      start;  // standardisation of the inputs and the optional linear path, to which layers are added
  size_t vertices = 0;
  CollisionTerm* collision = nullptr;  // NULL: none
  const EdgeTerm* edges = nullptr;     // NULL: none
};

struct Epoch {
  int number = 0;  // 0: initial parameters
  double rate = 0, seconds = 0;
  double loss = 0, validation_loss = 0;
  double rmse_mm = 0, validation_rmse_mm = 0;            // of vertices
  double near_percent = 0, validation_near_percent = 0;  // vertices nearer to the body than the buffer
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
  std::filesystem::path checkpoint;  // empty: none. Resumed from if it exists
  double checkpoint_seconds = 60;
  std::function<void(const Progress&)> report;  // called after each epoch; an exception ends the training
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

// "cuda" or "cpu". Throws std::runtime_error if CUDA is requested and not available.
std::string device_name(Device device);

}  // namespace billow::train
