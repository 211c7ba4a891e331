// Keyframed and sampled scalar curves over time, twice continuously differentiable.
//
// Track interpolates keys with quintic Hermite segments through their values, first and second derivatives.
// Derivatives that are not given are estimated: slopes by Fritsch and Butland, "A method for constructing
// local monotone piecewise cubic interpolants" (1984); second derivatives as the smaller of those of the
// cubics on either side. So extrema lie at keys, equal neighbouring keys hold still, and a movement between
// two holds has minimum jerk, as human reaching does (Flash and Hogan 1985).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace billow::motion {

class Track {
 public:
  // Adds a key. It replaces a key less than 1 ms away.
  void key(double time, double value);
  void key(double time, double value, double slope);
  void key(double time, double value, double slope, double second);
  // Remove the keys after a time, or between two times.
  void cut(double after);
  void erase(double from, double to);

  // Constant before the first key and after the last; 0 without keys.
  double at(double time) const;
  double slope(double time) const;
  bool empty() const { return keys_.empty(); }
  double last_time() const { return keys_.back().time; }

 private:
  struct Key {
    double time, value, slope = 0, second = 0;
    bool given_slope = false, given_second = false;
  };
  void insert(const Key& key);
  void estimate(size_t first, size_t last);
  double evaluate(double time, bool derivative) const;

  std::vector<Key> keys_;
};

// A uniformly sampled curve, evaluated as a cubic B-spline.
struct SampledCurve {
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
    // The spline does not interpolate: it smooths over one sample.
    return ((1 - u) * (1 - u) * (1 - u) * a + (4 - 6 * u * u + 3 * u * u * u) * b +
            (1 + 3 * u + 3 * u * u - 3 * u * u * u) * c + u * u * u * d) /
           6;
  }
};

// Replaces values by a smooth upper envelope: a sliding maximum over `radius` samples, convolved with a
// kernel of the same radius. The result is nowhere below the values.
inline void smooth_envelope(std::vector<double>& values, size_t radius) {
  const size_t n = values.size();
  if (n == 0 || radius == 0) return;
  const auto index = [n](size_t k, size_t offset, size_t back) {
    return k + offset < back ? 0 : std::min(k + offset - back, n - 1);
  };
  std::vector<double> maximum(n), smooth(n);
  for (size_t k = 0; k < n; ++k)
    for (size_t j = 0; j <= 2 * radius; ++j)
      maximum[k] = std::max(j == 0 ? values[index(k, 0, radius)] : maximum[k], values[index(k, j, radius)]);
  // The kernel cos^4 vanishes to third order at its ends.
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
    for (size_t j = 0; j <= 2 * radius; ++j) smooth[k] += kernel[j] / sum * maximum[index(k, j, radius)];
  values = smooth;
}

}  // namespace billow::motion
