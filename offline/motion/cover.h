// Corrections over time that are as large as they have to be, and smooth.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace billow::motion {

// Values at even times, with a smooth curve through them.
struct Sampled {
  double from = 0, rate = 120;  // samples a second
  std::vector<double> values;

  double time(size_t k) const { return from + static_cast<double>(k) / rate; }
  double at(double t) const {
    if (values.empty()) return 0;
    const double last = static_cast<double>(values.size() - 1), s = std::clamp((t - from) * rate, 0.0, last);
    const size_t k = std::min(static_cast<size_t>(s), values.size() - 1);
    const auto v = [this](size_t i) { return values[std::min(i, values.size() - 1)]; };
    const double u = s - static_cast<double>(k), a = v(k == 0 ? 0 : k - 1), b = v(k), c = v(k + 1),
                 d = v(k + 2);
    // Cubic B-spline: twice differentiable; smooths over one sample.
    return ((1 - u) * (1 - u) * (1 - u) * a + (4 - 6 * u * u + 3 * u * u * u) * b +
            (1 + 3 * u + 3 * u * u - 3 * u * u * u) * c + u * u * u * d) /
           6;
  }
};

// Replaces values by a smooth curve that is nowhere below them: the largest within `radius` samples, averaged
// with a kernel of that radius.
inline void cover(std::vector<double>& values, size_t radius) {
  const size_t n = values.size();
  if (n == 0 || radius == 0) return;
  const auto index = [n](size_t k, size_t offset, size_t back) {
    return k + offset < back ? 0 : std::min(k + offset - back, n - 1);
  };
  std::vector<double> most(n), smooth(n);
  for (size_t k = 0; k < n; ++k)
    for (size_t j = 0; j <= 2 * radius; ++j)
      most[k] = std::max(j == 0 ? values[index(k, 0, radius)] : most[k], values[index(k, j, radius)]);
  // A raised cosine squared falls off smoothly to third order.
  std::vector<double> kernel;
  double sum = 0;
  for (size_t j = 0; j <= 2 * radius; ++j) {
    const double x =
        (static_cast<double>(j) - static_cast<double>(radius)) / (static_cast<double>(radius) + 1);
    const double c = std::cos(1.5707963267948966 * x);
    kernel.push_back(c * c * c * c);
    sum += kernel.back();
  }
  for (size_t k = 0; k < n; ++k)
    for (size_t j = 0; j <= 2 * radius; ++j) smooth[k] += kernel[j] / sum * most[index(k, j, radius)];
  values = smooth;
}

}  // namespace billow::motion
