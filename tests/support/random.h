// Random inputs that are the same in every run and with any standard library.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <random>

#include "support/vector.h"

namespace billow::testing {

class Random {
 public:
  explicit Random(uint32_t seed) : engine_(seed) {}

  uint32_t bits() { return static_cast<uint32_t>(engine_()); }
  double uniform(double low, double high) { return low + (high - low) * (bits() / 4294967296.0); }
  float uniform_float(double low, double high) { return static_cast<float>(uniform(low, high)); }
  Vector in_box(double half) { return {{uniform(-half, half), uniform(-half, half), uniform(-half, half)}}; }
  // Uniformly distributed over the unit sphere.
  Vector direction() {
    const double z = uniform(-1, 1), angle = uniform(0, 6.283185307179586), r = std::sqrt(1 - z * z);
    return {{r * std::cos(angle), r * std::sin(angle), z}};
  }
  // A unit quaternion x y z w.
  std::array<double, 4> rotation() {
    const Vector axis = direction();
    const double half = uniform(0, 3.141592653589793), s = std::sin(half);
    return {axis[0] * s, axis[1] * s, axis[2] * s, std::cos(half)};
  }

 private:
  std::mt19937 engine_;
};

}  // namespace billow::testing
