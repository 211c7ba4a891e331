// Trains the recurrent baseline of gru.h, the units of all chains side by side.
#pragma once

#include "research/gru/gru.h"
#include "train/stage.h"

namespace billow::research {

struct GruOptions {
  int hidden = 96;   // units a chain: a skirt then fits into a garment file (max_gru_bytes)
  int window = 64;   // frames of a training sequence
  int warm_up = 16;  // first frames of a window, excluded from the loss while the hidden state settles
  int batch = 16;    // windows
  int epochs = 150;
  double rate = 1e-3;
  double weight_decay = 0;
};

// One row a frame.
struct GruClip {
  Matrix poses, bones;  // body_poses; displacements of all bones
  std::string parts;    // one letter a frame, as dataset::Part
};

struct GruTask {
  std::vector<GruClip> clips;
  std::vector<std::vector<uint32_t>> chains;  // bones that each chain predicts
};
GruTask gru_task(const Frames& frames);

struct GruResult {
  Gru gru;
  std::vector<train::Epoch> epochs;  // rmse_mm is of bones
  int best = 0;
  double seconds = 0;
};

// Trains on windows of the training frames, and chooses the best epoch by the validation frames of whole
// clips. Writes no checkpoints. Throws as train::train_stage().
GruResult train_gru(const GruTask& task, const GruOptions& options, const train::Run& run);

}  // namespace billow::research
