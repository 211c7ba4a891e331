// Ridge regression in closed form: W and b that make the mean of |y - W z - b|^2 plus `penalty` |W|^2 least, z being
// the standardised inputs.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "learn/model.h"

namespace billow::learn {

// Inputs about their mean, divided by the deviation of each or by one for all. Never whitened: that would make most of
// directions in which bones hardly move, and what they do there is noise.
enum class Scaling { kFeature, kOne };
struct Standard {
  Vector mean, scale;  // z = (d - mean) * scale
};
Standard standardise(const Matrix& inputs, Scaling scaling);

struct RidgeOptions {
  Scaling scaling = Scaling::kOne;
  // To choose from.
  std::vector<double> penalties{1e-8, 1e-7, 1e-6, 1e-5, 3e-5, 1e-4, 3e-4, 1e-3, 3e-3, 1e-2, 1e-1};
  Vector weights{};    // of the inputs: less is leant on what weighs less; empty: all alike
  size_t folds = 5;    // parts that the groups are shared out to
  size_t threads = 0;  // 0: all cores
};

struct Ridge {
  Network network;  // with `linear` and `bias` only
  double penalty = 0;
  std::vector<double>
      errors;  // of each penalty: RMS, over the rows, of what outputs are off in parts left out
};

// Frames a row. The penalty is chosen by leaving out whole groups, one number a row: frames of one clip are so alike that
// those beside a frame give it away. With one group, or with one penalty, there is no choice, and the first penalty is
// taken. Throws std::invalid_argument for sizes that do not go together.
Ridge fit_ridge(const Matrix& inputs, const Matrix& outputs, std::span<const uint32_t> groups,
                const RidgeOptions& options);

}  // namespace billow::learn
