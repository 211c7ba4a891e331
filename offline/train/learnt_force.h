// Trains the force that chains lack (src/runtime/learnt_force.h) in closed loop, by feedback-error learning.
//
// The chains run freely from the reference's states, with the force as learnt so far. After each frame a critically damped
// controller says which acceleration would have drawn each bone towards the reference's; the network learns the sum of what
// it returned and of that. What the controller asks for in the mean over all states that look alike, the next round's chains
// do by themselves; what is chance (cloth is chaotic) has no mean. Nothing is differentiated through contacts. Roll-outs grow
// from round to round, so that the network sees the states that chains reach with it.
//
// A mean of motions is slower than each of them, the more so the less a motion resembles those that were learnt from. A term
// along each bone's own velocity gives back what this takes: it grows until clips that are not learnt from are as fast as
// their reference.
#pragma once

#include <functional>

#include "train/force_rollouts.h"
#include "train/options.h"

namespace billow::train {

struct ForceOptions {
  int hidden = 48, hidden_layers = 2;
  int rounds = 24;
  double shortest = 0.3, longest = 4;                     // s, of a roll-out
  double rate = 1e-3, weight_decay = 1e-3, noise = 0.25;  // noise: of standardised inputs
  int epochs = 2, batch = 2048;
  size_t rows = 400'000;  // of a round
  ForceTarget target;
  double energy_gain = 2;  // 1/s: how much livelier a round makes its bones, per relative lack of speed
  uint64_t seed = 1;
  Device device = Device::kAuto;
  struct Round {
    int number;
    double loss, speed;  // speed: RMS relative to the reference's, of held-out clips
  };
  std::function<void(const Round& round, const learn::Network& now)> report;  // may be empty
};

// Learns from some clips (indices into frames.clips()), and holds others against them for their speed; none: the same.
// Throws std::runtime_error where there is nothing to learn from, or the loss is not finite.
learn::Network train_force(const learn::Frames& frames, const std::vector<size_t>& clips,
                           const std::vector<size_t>& held_out, const billow_settings& settings,
                           const ForceOptions& options);

}  // namespace billow::train
