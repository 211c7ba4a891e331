// Trains the paper's model: a basis and a network of the whole cloth for skinning, followed by a basis and a network for
// the residual shape.
#pragma once

#include "train/train.h"

namespace billow::research {

// The paper's settings ("Results and Discussion"): plain networks on raw inputs, ReLU, Adam at 1e-4 and 1e-5, no linear path.
train::Options paper_options();

// Throws std::invalid_argument for invalid options or those of another form, std::runtime_error as train::train_stage().
train::Result train_whole_cloth(const learn::Frames& frames, const train::Options& options,
                                const train::TrainRun& run = {});

}  // namespace billow::research
