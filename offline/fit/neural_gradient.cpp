#include "fit/neural_gradient.h"

namespace billow::fit {
namespace {

// The second derivative of the activation, by its slope.
F4 bend(F4 slope) { return select((slope > 0.0f) & (slope < 1.0f), splat(0.5f), zero()); }

}  // namespace

void LossGradient::forward(std::span<const float> weights, V3x4 x) {
  const size_t n = at_.width;
  for (size_t j = 0; j < n; ++j) {
    const float* row = &weights[at_.first(j)];
    const auto a = activate(row[0] * x.x + row[1] * x.y + row[2] * x.z + row[3]);
    value1_[j] = a.value, slope1_[j] = a.slope, pull1_[j] = zero();
  }
  f_ = splat(weights[at_.last()]);
  for (size_t i = 0; i < n; ++i) {
    const float* row = &weights[at_.second(i)];
    F4 z = splat(row[0]);
    for (size_t j = 0; j < n; ++j) z += row[1 + j] * value1_[j];
    const auto a = activate(z);
    value2_[i] = a.value, slope2_[i] = a.slope;
    f_ += row[1 + n] * a.value;
    const F4 pull = row[1 + n] * a.slope;
    for (size_t j = 0; j < n; ++j) pull1_[j] += row[1 + j] * pull;
  }
  g_ = zero3();
  for (size_t j = 0; j < n; ++j) {
    const float* row = &weights[at_.first(j)];
    const F4 pull = slope1_[j] * pull1_[j];
    g_ += V3x4{row[0] * pull, row[1] * pull, row[2] * pull};
  }
}

// The loss changes by by_f times the change of f and by_g . the change of g. The latter is the change of what f
// changes by along by_g, so everything's change along by_g goes forward, and both go back together.
void LossGradient::backward(std::span<const float> weights, V3x4 x, F4 by_f, V3x4 by_g) {
  const size_t n = at_.width;
  F4 sum1[kMaxUnits], along1[kMaxUnits], back1[kMaxUnits];  // of sums and values along by_g; by the values
  for (size_t j = 0; j < n; ++j) {
    const float* row = &weights[at_.first(j)];
    sum1[j] = row[0] * by_g.x + row[1] * by_g.y + row[2] * by_g.z;
    along1[j] = slope1_[j] * sum1[j];
    back1[j] = zero();
  }
  sums_[at_.last()] += by_f;
  for (size_t i = 0; i < n; ++i) {
    const float* row = &weights[at_.second(i)];
    F4* out = &sums_[at_.second(i)];
    F4 along = zero();
    for (size_t j = 0; j < n; ++j) along += row[1 + j] * along1[j];
    const F4 by_along = row[1 + n] * slope2_[i];
    const F4 by_z = row[1 + n] * (slope2_[i] * by_f + bend(slope2_[i]) * along);
    out[0] += by_z;
    out[1 + n] += by_f * value2_[i] + slope2_[i] * along;
    for (size_t j = 0; j < n; ++j) {
      out[1 + j] += by_z * value1_[j] + by_along * along1[j];
      back1[j] += row[1 + j] * by_z;
    }
  }
  for (size_t j = 0; j < n; ++j) {
    F4* out = &sums_[at_.first(j)];
    const F4 by_along = slope1_[j] * pull1_[j];
    const F4 by_z = slope1_[j] * back1[j] + bend(slope1_[j]) * sum1[j] * pull1_[j];
    out[0] += by_z * x.x + by_along * by_g.x;
    out[1] += by_z * x.y + by_along * by_g.y;
    out[2] += by_z * x.z + by_along * by_g.z;
    out[3] += by_z;
  }
}

F4 LossGradient::add(std::span<const float> weights, V3x4 x, F4 target, F4 weight, float eikonal) {
  forward(weights, x);
  const F4 off = f_ - target, slope = sqrt(dot(g_, g_) + 1e-12f), excess = slope - 1.0f;
  backward(weights, x, 2.0f * weight * off, g_ * (2.0f * eikonal * excess / slope));
  return weight * off * off + eikonal * excess * excess;
}

}  // namespace billow::fit
