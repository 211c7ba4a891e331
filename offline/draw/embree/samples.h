// Random numbers for rays: a sequence that fills the unit interval evenly in each of a few dimensions, shifted by another
// amount in every pixel, so that what error there is looks like fine grain.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>

#include "draw/vec.h"

namespace billow::draw {

class Samples {
 public:
  static constexpr size_t kDimensions = 10;

  Samples(uint32_t x, uint32_t y) {
    for (uint32_t d = 0; d < kDimensions; ++d) shift_[d] = hash(x, y, d);
  }
  void next() { ++index_; }
  // Each dimension has an irrational step of its own (powers of the generalised golden ratio).
  float operator[](size_t dimension) const {
    static const std::array<double, kDimensions> steps = make_steps();
    const double v = shift_[dimension] + steps[dimension] * index_;
    return static_cast<float>(v - std::floor(v));
  }

 private:
  static std::array<double, kDimensions> make_steps() {
    double root = 1.5;  // of x^(d+1) = x + 1
    for (int i = 0; i < 60; ++i) root = std::pow(1 + root, 1.0 / (kDimensions + 1));
    std::array<double, kDimensions> steps{};
    double power = 1;
    for (double& s : steps) s = power /= root;
    return steps;
  }
  static double hash(uint32_t x, uint32_t y, uint32_t d) {
    uint32_t h = x * 0x9e3779b1u ^ (y * 0x85ebca77u + 0x165667b1u) ^ (d * 0xc2b2ae3du);
    h = (h ^ (h >> 15)) * 0x2c1b3c6du;
    h = (h ^ (h >> 12)) * 0x297a2d39u;
    return (h ^ (h >> 15)) / 4294967296.0;
  }
  std::array<double, kDimensions> shift_{};
  uint32_t index_ = 0;
};

// A direction of the hemisphere about a normal, as often as light from there counts (cosine).
inline Vec3 cosine_direction(Vec3 normal, float u, float v) {
  const float r = std::sqrt(u), angle = 2 * std::numbers::pi_v<float> * v;
  const Vec3 a = across(normal), b = cross(normal, a);
  return normalised((r * std::cos(angle)) * a + (r * std::sin(angle)) * b +
                    std::sqrt(std::fmax(0.0f, 1 - u)) * normal);
}

// A direction within a cone, `spread` the tangent of its half angle.
inline Vec3 cone_direction(Vec3 axis, float spread, float u, float v) {
  const float r = spread * std::sqrt(u), angle = 2 * std::numbers::pi_v<float> * v;
  const Vec3 a = across(axis), b = cross(axis, a);
  return normalised(axis + (r * std::cos(angle)) * a + (r * std::sin(angle)) * b);
}

}  // namespace billow::draw
