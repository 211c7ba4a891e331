// Trains the recurrent baseline: learn/gru.h. All chains learn at once, each its own unit.
#pragma once

#include "learn/gru.h"
#include "train/stage.h"

namespace billow::train {

struct GruOptions {
  int hidden = 96;   // of a chain: so that a skirt's fit into a garment file (learn/gru_file.h)
  int window = 64;   // frames that are learnt from in one go
  int warm_up = 16;  // of them, in which the unit finds out where its chain is: not in the loss
  int batch = 16;    // windows
  int epochs = 150;
  double rate = 1e-3;
  double weight_decay = 0;
};

// One clip: a row a frame.
struct GruClip {
  Matrix poses, bones;  // of the body; displacements of all bones
  std::string parts;    // a letter a frame, as dataset::Part
};

struct GruTask {
  std::vector<GruClip> clips;
  std::vector<std::vector<uint32_t>> chains;  // the bones that each moves
};
GruTask gru_task(const learn::Frames& frames);

struct GruResult {
  learn::Gru gru;
  std::vector<Epoch> epochs;  // rmse_mm is of bones
  int best = 0;
  double seconds = 0;
};

// Learns from frames for training in windows of their clips, and chooses the best epoch by the frames for
// validation, run through whole clips. Checkpoints are not written. Throws as train_stage().
GruResult train_gru(const GruTask& task, const GruOptions& options, const Run& run);

}  // namespace billow::train
