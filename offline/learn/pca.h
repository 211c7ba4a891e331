// Principal components of frames that are read in passes and never all in memory: randomised subspace iteration (Halko,
// Martinsson and Tropp, "Finding Structure with Randomness", 2011, algorithm 4.4).
#pragma once

#include "learn/rows.h"

namespace billow::learn {

struct PcaOptions {
  size_t components = 100;
  size_t more = 20;  // directions that are followed beside them, so that the last of them are right too
  size_t passes =
      6;  // over all frames: one for the mean, one that measures in the end, all others turn directions
  size_t threads = 0;  // 0: all cores. The result is the same for any number
};

struct Pca {
  Basis basis;
  double variance = 0;  // sum over the values, mean over the frames

  // What the first components account for: a share of the variance, and what is then left of a vertex on average, RMS.
  double explained(Eigen::Index components) const;
  double rms_left(Eigen::Index components) const;
};

// At most as many components as asked for; fewer if the frames do not differ in more ways. Each has its largest value
// positive. Throws std::invalid_argument where there are no rows.
Pca principal_components(const Rows& rows, const PcaOptions& options);

// An orthonormal basis of everything that two can make together, about the sum of their means.
Basis joined(const Basis& a, const Basis& b);

}  // namespace billow::learn
