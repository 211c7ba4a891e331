// Principal components of frames that are streamed in passes: randomised subspace iteration (Halko,
// Martinsson and Tropp, "Finding Structure with Randomness", 2011, algorithm 4.4).
#pragma once

#include "learn/frames.h"

namespace billow::learn {

struct PcaOptions {
  size_t components = 100;
  size_t oversampling = 20;  // additional directions, for the accuracy of the last components
  // Passes over all frames: one for the mean, one for the final variances, all others are power iterations.
  size_t passes = 6;
  size_t threads = 0;  // 0: all cores. The result does not depend on the number
};

struct Pca {
  Basis basis;
  double variance = 0;  // sum over the values, mean over the frames

  // Share of the variance that the first components explain, and the RMS residual a vertex.
  double explained(Eigen::Index components) const;
  double rms_residual(Eigen::Index components) const;
};

// Returns fewer components than requested where the rank of the frames is lower. The largest value of each mode is
// positive. Throws std::invalid_argument where there are no rows.
Pca principal_components(const Rows& rows, const PcaOptions& options);

}  // namespace billow::learn
