// How the loss of a network (sdf/neural.h) changes with its weights, four points at a time. Lengths in any unit.
#pragma once

#include <span>
#include <vector>

#include "sdf/neural.h"

namespace billow::fit {

// Where the weights of a unit are among all.
struct NetworkLayout {
  size_t width;
  size_t first(size_t unit) const { return 4 * unit; }
  size_t second(size_t unit) const { return 4 * width + unit * (width + 2); }
  size_t last() const { return second(width); }
  size_t count() const { return last() + 1; }
};

// Sums up the gradient of
//     weight (f - target)^2 + eikonal (|grad f| - 1)^2
// over points, with respect to the weights of a network f.
class LossGradient {
 public:
  explicit LossGradient(size_t width) : at_{width}, sums_(at_.count(), zero()) {}

  void clear() { sums_.assign(sums_.size(), zero()); }
  // Adds four points; returns their losses.
  F4 add(std::span<const float> weights, V3x4 x, F4 target, F4 weight, float eikonal);
  float sum(size_t weight) const {
    float lanes[4];
    store(lanes, sums_[weight]);
    return (lanes[0] + lanes[1]) + (lanes[2] + lanes[3]);
  }

 private:
  void forward(std::span<const float> weights, V3x4 x);
  void backward(std::span<const float> weights, V3x4 x, F4 by_f, V3x4 by_g);

  NetworkLayout at_;
  std::vector<F4> sums_;
  // Of the last points: value and gradient of f; value and slope of each unit; what f changes by with the values of
  // the first layer.
  F4 f_;
  V3x4 g_;
  F4 value1_[kMaxUnits], slope1_[kMaxUnits], pull1_[kMaxUnits], value2_[kMaxUnits], slope2_[kMaxUnits];
};

}  // namespace billow::fit
