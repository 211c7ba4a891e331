// Measures how well rope chains follow the bones embedded in the reference cloth, and fits their settings and a linear
// correction to the training clips of a data set.
//
// The search is coordinate descent without derivatives, as contacts are not smooth: each setting in turn is multiplied and
// divided by a factor, and kept if the score (RopeTracking::score) improves. A round that gains little halves the logarithm
// of the factor. After each round the validation clips are scored, and the best round is the result; unseen clips
// take no part. The result does not depend on the number of threads.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "evaluate/rope_gap.h"
#include "learn/ridge.h"
#include "ropes/chain_shape.h"
#include "ropes/simulate_ropes.h"

namespace billow::ropes {

struct RopeTracking {
  evaluate::RopeGap gap;
  double velocity_energy = 0;  // sum of squared bone velocities relative to the reference's
  // The objective of the search: RMS distance in mm times 1 + kEnergyPenalty |ln velocity_energy|. RMS alone favours chains
  // that hardly move.
  double score = 0;
};
inline constexpr double kEnergyPenalty = 0.3;

// Compares `ropes` with `embedded` (one row a frame of the data set) over some clips (indices into frames.clips()), each from
// `from_seconds` on.
RopeTracking measure_tracking(const Frames& frames, const Matrix& embedded, const Matrix& ropes,
                              const std::vector<size_t>& clips, double from_seconds);

// Splits clips by purpose. Validation holds out whole clips, because neighbouring frames are too similar to validate each other.
struct ClipParts {
  std::vector<size_t> train, validation, unseen;
};
ClipParts clip_parts(const Frames& frames);

struct Report {
  RopeTracking train, validation, unseen;  // unseen: with the chaos floor, from 1.5 s on as that is
  RopeTracking corrected;                  // unseen, with the correction of fit_correction
  ChainShape shape, reference_shape;       // unseen, from 1.5 s on
  struct Clip {
    std::string name;
    double rms_mm = 0, velocity_energy = 0;
    double chaos_floor_mm = 0;  // 0: not measured
  };
  std::vector<Clip> clips;  // unseen, from 1.5 s on
  Cost cost;
};
Report measure_ropes(const Frames& frames, const ChainDynamics& dynamics, size_t threads = 0);

// Fits a linear correction: ridge regression from rope bones (one row a frame) to embedded minus rope bones on the training
// frames, with the penalty chosen by cross-validation over whole clips. Returns an empty network if it does not improve
// held-out clips. Needs no libtorch; garment files have a trained network instead (train/correction.h).
learn::Network fit_correction(const Frames& frames, const Matrix& embedded, const Matrix& ropes,
                              size_t threads = 0);

struct FitOptions {
  size_t clips = 12;   // training clips of the search, evenly spread over all; 0: all
  int rounds = 5;      // through all settings
  double factor = 2;   // of the first round
  size_t threads = 0;  // 0: all cores
  std::function<void(double share, const std::string& what)> report;  // may be empty
};

struct FitRound {
  double train = 0, validation = 0;  // scores after the round
};

struct Fit {
  billow_settings settings;
  std::vector<FitRound> rounds;  // the first: scores of the start
  size_t tries = 0;
};

// `start`: character::rope_settings, for example. Throws std::runtime_error for a data set with fewer than two training clips.
Fit fit_ropes(const Frames& frames, const billow_settings& start, const FitOptions& options = {});

}  // namespace billow::ropes
