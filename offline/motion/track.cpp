#include "motion/track.h"

#include <algorithm>
#include <cmath>

namespace billow::motion {
namespace {

// 0 if the signs differ, else the value of smaller magnitude.
double min_modulus(double a, double b) {
  if (!(a * b > 0)) return 0;
  return std::fabs(a) < std::fabs(b) ? a : b;
}

}  // namespace

void Track::key(double time, double value) { insert({time, value}); }

void Track::key(double time, double value, double slope) { insert({time, value, slope, 0, true}); }

void Track::key(double time, double value, double slope, double second) {
  insert({time, value, slope, second, true, true});
}

void Track::cut(double after) {
  while (!keys_.empty() && keys_.back().time > after) keys_.pop_back();
  if (!keys_.empty()) estimate(keys_.size() - 1, keys_.size() - 1);
}

void Track::erase(double from, double to) {
  std::erase_if(keys_, [=](const Key& k) { return k.time > from && k.time < to; });
}

void Track::insert(const Key& key) {
  constexpr double kMinDistance = 1e-3;
  auto at = std::lower_bound(keys_.begin(), keys_.end(), key.time - kMinDistance,
                             [](const Key& k, double t) { return k.time < t; });
  if (at != keys_.end() && at->time < key.time + kMinDistance)
    *at = key;
  else
    at = keys_.insert(at, key);
  const size_t i = static_cast<size_t>(at - keys_.begin());
  estimate(i, i);
}

// Re-estimates derivatives round changed keys. A slope depends on the adjacent keys, a second derivative on
// their slopes, so two keys on either side are affected.
void Track::estimate(size_t first, size_t last) {
  const auto chord = [this](size_t i) {
    return (keys_[i + 1].value - keys_[i].value) / (keys_[i + 1].time - keys_[i].time);
  };
  const size_t low = first < 2 ? 0 : first - 2, high = std::min(keys_.size() - 1, last + 2);
  for (size_t i = low; i <= high; ++i) {
    if (keys_[i].given_slope) continue;
    keys_[i].slope = 0;
    if (i == 0 || i + 1 == keys_.size()) continue;
    const double before = chord(i - 1), after = chord(i);
    const double h0 = keys_[i].time - keys_[i - 1].time, h1 = keys_[i + 1].time - keys_[i].time;
    if (before * after > 0) keys_[i].slope = 3 * (h0 + h1) / ((2 * h1 + h0) / before + (h1 + 2 * h0) / after);
  }
  for (size_t i = low; i <= high; ++i) {
    if (keys_[i].given_second) continue;
    keys_[i].second = 0;
    if (i == 0 || i + 1 == keys_.size()) continue;
    const Key &a = keys_[i - 1], &b = keys_[i], &c = keys_[i + 1];
    const double left = (-6 * chord(i - 1) + 2 * a.slope + 4 * b.slope) / (b.time - a.time);
    const double right = (6 * chord(i) - 4 * b.slope - 2 * c.slope) / (c.time - b.time);
    keys_[i].second = min_modulus(left, right);
  }
}

double Track::evaluate(double time, bool derivative) const {
  if (keys_.empty()) return 0;
  const auto next =
      std::upper_bound(keys_.begin(), keys_.end(), time, [](double t, const Key& k) { return t < k.time; });
  if (next == keys_.begin()) return derivative ? 0 : keys_.front().value;
  if (next == keys_.end()) return derivative ? 0 : keys_.back().value;
  const Key &a = *(next - 1), &b = *next;
  const double h = b.time - a.time, u = (time - a.time) / h;
  // Taylor polynomial at a, then the residuals at b of value and both derivatives.
  const double v0 = a.slope * h, a0 = a.second * h * h;
  const double p = b.value - (a.value + v0 + 0.5 * a0), q = b.slope * h - (v0 + a0),
               r = b.second * h * h - a0;
  const double c3 = 10 * p - 4 * q + 0.5 * r, c4 = -15 * p + 7 * q - r, c5 = 6 * p - 3 * q + 0.5 * r;
  if (derivative) return (v0 + u * (a0 + u * (3 * c3 + u * (4 * c4 + u * 5 * c5)))) / h;
  return a.value + u * (v0 + u * (0.5 * a0 + u * (c3 + u * (c4 + u * c5))));
}

double Track::at(double time) const { return evaluate(time, false); }
double Track::slope(double time) const { return evaluate(time, true); }

}  // namespace billow::motion
