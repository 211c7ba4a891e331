// Ridge regression in closed form: W and b that minimise the mean of |y - W z - b|^2 plus `penalty` |W|^2, where z are
// the standardised inputs.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "learn/model.h"

namespace billow::learn {

// Divide centred inputs by the standard deviation of each, or by one for all. Never whitened: that would amplify
// directions in which bones hardly move, which are noise.
enum class Scaling { kFeature, kOne };
struct Standardisation {
  Vector mean, scale;  // z = (d - mean) * scale
};
Standardisation standardise(const Matrix& inputs, Scaling scaling);

struct RidgeOptions {
  Scaling scaling = Scaling::kOne;
  std::vector<double> penalties{1e-8, 1e-7, 1e-6, 1e-5, 3e-5, 1e-4, 3e-4, 1e-3, 3e-3, 1e-2, 1e-1};
  Vector weights{};    // scales the inputs: a smaller weight is penalised more; empty: all 1
  size_t folds = 5;    // of the cross-validation
  size_t threads = 0;  // 0: all cores
};

struct Ridge {
  Network network;  // with `linear` and `bias` only
  double penalty = 0;
  std::vector<double> errors;  // cross-validation error of each penalty: RMS over the rows
};

// One frame a row. The penalty is chosen by k-fold cross-validation over whole groups (`groups`: one index a row), because
// frames of one clip are too similar to validate each other. With a single group or a single penalty the first penalty is
// taken. Throws std::invalid_argument for sizes that do not match.
Ridge fit_ridge(const Matrix& inputs, const Matrix& outputs, std::span<const uint32_t> groups,
                const RidgeOptions& options);

}  // namespace billow::learn
