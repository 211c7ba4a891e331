// Roll-outs of rope chains from the states of reference cloth, and what their learnt force should have been.
#pragma once

#include <memory>
#include <vector>

#include "learn/frames.h"
#include "ropes/simulate_ropes.h"

namespace billow::train {

// Of a critically damped controller that draws bones to the reference's places and velocities.
struct ForceTarget {
  float time_constant = 0.12f;  // s
  float limit = 8;              // m/s2, of what it asks for
  float forget = 0.03f;         // share of a force that is given up in each round
  float spread = 0;    // share of what it asks for that is asked of the bones on the next chains instead
  float livelier = 0;  // 1/s: acceleration along a bone's own velocity, relative to its root
};

struct ForceSamples {
  std::vector<float> inputs, targets;                // kForceInputs and 3 values a bone in a frame
  double velocity_energy = 0, reference_energy = 0;  // sums of squared velocities, relative to the roots
  double speed() const;                              // RMS, relative to the reference's
};

constexpr uint32_t kShortestForceClip =
    4;  // frames: two for a start's velocity, one to step to, one for the velocity there

class ForceRollouts {
 public:
  // Keeps references. `clips`: indices into frames.clips().
  ForceRollouts(const learn::Frames& frames, const std::vector<size_t>& clips,
                const billow_settings& settings);
  ~ForceRollouts();

  size_t rows() const;  // of all frames together
  // Runs all clips in pieces of `length` frames, each from the reference's state, and keeps a `share` of the rows. The
  // result does not depend on the number of threads.
  ForceSamples run(const learn::Network& force, int length, double share, const ForceTarget& target,
                   uint64_t seed) const;

 private:
  struct Clip;
  const learn::Frames& frames_;
  billow_settings settings_;
  garment::ChainCloth cloth_;
  std::vector<std::unique_ptr<Clip>> clips_;
};

}  // namespace billow::train
