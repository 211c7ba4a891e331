// Free roll-outs of chains from the states of a data set's reference, and how far they end up from it: a loss to fit settings by.
#pragma once

#include <memory>
#include <vector>

#include "learn/frames.h"
#include "train/differentiable/chain_step.h"

namespace billow::train::differentiable {

// One clip of a data set.
struct ReferenceMotion {
  double dt = 0;            // s, of a frame
  Tensor roots, colliders;  // [frames, chains or colliders, 7]
  Tensor x, v;              // of the reference's bones, [frames, chains, bones, 3]
};

// The clips of a data set that are named by their indices, and chains that move on them.
struct ReferenceMotions {
  ChainModel model;  // with `settings`; a learnt force is not part of it
  std::vector<ReferenceMotion> clips;
};
// Throws std::invalid_argument for settings that the differentiable step does not know, and std::runtime_error for clips of less
// than three frames.
ReferenceMotions read_motions(const learn::Frames& frames, const std::vector<size_t>& clips,
                              const billow_settings& settings);

// Where a roll-out begins.
struct Start {
  size_t clip = 0;
  int64_t frame = 0;
};

// Roll-outs of `length` frames side by side, each from the reference's state at its start: the mean over bones and frames of
// |x - x*|^2 + (velocity_time |v - v*|)^2, m2. Clips have to go on for so long, at the same rate.
Tensor rollout_loss(const ChainModel& model, const std::vector<ReferenceMotion>& clips,
                    const std::vector<Start>& starts, int64_t length, double velocity_time = 0.1);

}  // namespace billow::train::differentiable
