// Settings with which rope chains follow the reference cloth, searched on the training clips of a data set.
//
// A search by coordinates: each setting in turn is multiplied and divided by a factor, and what follows the embedded bones
// better (Followed::score) is kept; a round that finds little halves the factors' logarithms. No derivatives: contacts are
// not smooth. After each round the clips set apart for validation judge, and the round they like best is the result; unseen
// clips take no part. The same options give the same settings on any number of threads.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "ropes/measure_ropes.h"

namespace billow::ropes {

struct FitOptions {
  size_t clips = 12;   // training clips that are searched on, spread over all of them; 0: all
  int rounds = 5;      // through all settings
  double factor = 2;   // of the first round
  size_t threads = 0;  // 0: all cores
  std::function<void(double share, const std::string& what)> report;  // may be empty
};

struct FitRound {
  double train = 0, validation = 0;  // scores after it
};

struct Fit {
  billow_settings settings;
  std::vector<FitRound> rounds;  // the first: as it started
  size_t tries = 0;
};

// Starts from `start`: character::rope_settings, say. Throws std::runtime_error for a data set with less than two clips to learn from.
Fit fit_ropes(const Frames& frames, const billow_settings& start, const FitOptions& options = {});

}  // namespace billow::ropes
