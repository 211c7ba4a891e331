// Trains what rope bones are corrected by: a network from where they are to what has to be added to them.
//
// On motions that it has learnt from it is better than it will ever be again. Networks that are to learn from corrected ropes
// therefore get, for each clip, those of a network that was trained without it and others like it (folds).
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
  learn::Network network;  // of all frames for training; no layers where there are too few clips
  Matrix out_of_fold;      // a row a frame: ropes corrected by a network that has not seen its clip
};

// `ropes` and `embedded`: a row for each frame. Throws as train_stage().
Correction train_correction(const learn::Frames& frames, const Matrix& ropes, const Matrix& embedded,
                            const CorrectionOptions& options, const Run& run);

}  // namespace billow::train
