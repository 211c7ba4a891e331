// Trains the correction of rope bones: a network from rope bones to their difference from the embedded bones.
//
// Its error on clips it was trained on is lower than it will be on others. Networks that train on corrected rope bones
// therefore get cross-fitted ones: clips are split into k folds, and each fold is corrected by a network trained on the others.
#pragma once

#include "learn/frames.h"
#include "train/stage.h"

namespace billow::train {

struct CorrectionOptions {
  int hidden = 192, hidden_layers = 2, epochs = 30, batch = 128;
  double rate = 2e-3, weight_decay = 1e-2, dropout = 0.2;
  size_t folds = 4;  // of clips
};

struct Correction {
  learn::Network network;  // trained on all training frames; no layers where there are too few clips
  Matrix
      cross_fitted;  // rope bones, one row a frame, corrected by a network trained without the frame's fold
};

// `ropes` and `embedded`: one row a frame. Throws as train_stage().
Correction train_correction(const learn::Frames& frames, const Matrix& ropes, const Matrix& embedded,
                            const CorrectionOptions& options, const Run& run);

}  // namespace billow::train
