// Vectors, rotations and seeded numbers in double precision: legs are solved with derivatives, which single
// precision is too coarse for.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>

#include "core/vec.h"

namespace billow::motion {

inline constexpr double kPi = 3.14159265358979323846, kDegree = kPi / 180, kGravity = 9.81;

using D3 = Vec3<double>;
inline D3 to_double(V3 v) {
  return {static_cast<double>(v.x), static_cast<double>(v.y), static_cast<double>(v.z)};
}
inline V3 to_float(D3 v) {
  return {static_cast<float>(v.x), static_cast<float>(v.y), static_cast<float>(v.z)};
}
inline D3 unit(D3 v) { return v * (1 / length(v)); }

// A rotation by where it takes the axes.
struct Rotation {
  D3 x{1, 0, 0}, y{0, 1, 0}, z{0, 0, 1};
};
inline D3 operator*(const Rotation& r, D3 v) { return r.x * v.x + r.y * v.y + r.z * v.z; }
inline Rotation operator*(const Rotation& a, const Rotation& b) { return {a * b.x, a * b.y, a * b.z}; }
inline Rotation transposed(const Rotation& r) {
  return {{r.x.x, r.y.x, r.z.x}, {r.x.y, r.y.y, r.z.y}, {r.x.z, r.y.z, r.z.z}};
}
inline Rotation about_x(double a) {
  const double s = std::sin(a), c = std::cos(a);
  return {{1, 0, 0}, {0, c, s}, {0, -s, c}};
}
inline Rotation about_y(double a) {
  const double s = std::sin(a), c = std::cos(a);
  return {{c, 0, -s}, {0, 1, 0}, {s, 0, c}};
}
inline Rotation about_z(double a) {
  const double s = std::sin(a), c = std::cos(a);
  return {{c, s, 0}, {-s, c, 0}, {0, 0, 1}};
}
// About an axis of unit length.
inline Rotation about(D3 u, double a) {
  const double s = std::sin(a), c = std::cos(a);
  const auto turned = [&](D3 v) { return v * c + cross(u, v) * s + u * (dot(u, v) * (1 - c)); };
  return {turned({1, 0, 0}), turned({0, 1, 0}), turned({0, 0, 1})};
}
Quat to_quat(const Rotation& r);
Rotation to_rotation(Quat q);

// The angles a, b, c of about_x(a) * about_z(b) * about_y(c).
struct AnglesXzy {
  double x, z, y;
};
inline AnglesXzy angles_xzy(const Rotation& r) {
  return {std::atan2(r.y.z, r.y.y), std::asin(std::clamp(-r.y.x, -1.0, 1.0)), std::atan2(r.z.x, r.x.x)};
}
inline Rotation from_xzy(const AnglesXzy& a) { return about_x(a.x) * about_z(a.z) * about_y(a.y); }

inline double smooth_step(double low, double high, double x) {
  const double u = std::clamp((x - low) / (high - low), 0.0, 1.0);
  return u * u * u * (u * (6 * u - 15) + 10);
}
inline double mix(double a, double b, double share) { return a + (b - a) * share; }

// The same numbers with every standard library.
class Random {
 public:
  explicit Random(uint32_t seed) : engine_(seed) {}

  double uniform(double low, double high) {
    return low + (high - low) * (static_cast<double>(engine_()) / 4294967296.0);
  }
  // From 0 to count - 1.
  int below(int count) { return std::min(count - 1, static_cast<int>(uniform(0, count))); }
  bool chance(double share) { return uniform(0, 1) < share; }
  double sign() { return chance(0.5) ? 1 : -1; }

 private:
  std::mt19937 engine_;
};

}  // namespace billow::motion
