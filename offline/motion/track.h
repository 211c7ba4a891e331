// A number over time: a curve through keys, twice continuously differentiable.
//
// Between keys it is the quintic with their values, slopes and bends (Hermite). Where these are not given,
// slopes are those of Fritsch and Butland, "A method for constructing local monotone piecewise cubic
// interpolants" (1984), and bends the smaller of those the cubics on either side would have: extremes stay at
// keys, what is held stays still, and movements between two holds are those of least jerk, which reaching
// people make (Flash and Hogan 1985).
#pragma once

#include <cstddef>
#include <vector>

namespace billow::motion {

class Track {
 public:
  // Sets the value at a time. A key less than 1 ms from another replaces it.
  void key(double time, double value);
  void key(double time, double value, double slope);
  void key(double time, double value, double slope, double bend);
  // Removes the keys after a time, or those between two times.
  void cut(double after);
  void clear(double from, double to);

  // Before the first key and after the last it stays at their values. 0 if there are none.
  double at(double time) const;
  double slope(double time) const;
  bool empty() const { return keys_.empty(); }
  double last_time() const { return keys_.back().time; }

 private:
  struct Key {
    double time, value, slope = 0, bend = 0;
    bool given_slope = false, given_bend = false;
  };
  void insert(const Key& key);
  void estimate(size_t first, size_t last);
  double evaluate(double time, bool derivative) const;

  std::vector<Key> keys_;
};

}  // namespace billow::motion
