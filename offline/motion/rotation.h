// Vectors, rotations and a portable random generator in double precision. The leg solver needs it: its finite
// differences are too noisy in single precision.
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

// A rotation matrix; x, y and z are its columns, the images of the axes.
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
// Rotation about a unit axis (Rodrigues).
inline Rotation about(D3 u, double a) {
  const double s = std::sin(a), c = std::cos(a);
  const auto rotated = [&](D3 v) { return v * c + cross(u, v) * s + u * (dot(u, v) * (1 - c)); };
  return {rotated({1, 0, 0}), rotated({0, 1, 0}), rotated({0, 0, 1})};
}
// Divides by the largest component (Shepperd, "Quaternion from rotation matrix", 1978).
inline Quat to_quat(const Rotation& r) {
  const double xx = r.x.x, yy = r.y.y, zz = r.z.z;
  double x, y, z, w;
  if (xx + yy + zz >= std::max({xx, yy, zz})) {
    w = 0.5 * std::sqrt(1 + xx + yy + zz);
    x = (r.y.z - r.z.y) / (4 * w), y = (r.z.x - r.x.z) / (4 * w), z = (r.x.y - r.y.x) / (4 * w);
  } else if (xx >= yy && xx >= zz) {
    x = 0.5 * std::sqrt(1 + xx - yy - zz);
    w = (r.y.z - r.z.y) / (4 * x), y = (r.x.y + r.y.x) / (4 * x), z = (r.x.z + r.z.x) / (4 * x);
  } else if (yy >= zz) {
    y = 0.5 * std::sqrt(1 - xx + yy - zz);
    w = (r.z.x - r.x.z) / (4 * y), x = (r.x.y + r.y.x) / (4 * y), z = (r.y.z + r.z.y) / (4 * y);
  } else {
    z = 0.5 * std::sqrt(1 - xx - yy + zz);
    w = (r.x.y - r.y.x) / (4 * z), x = (r.x.z + r.z.x) / (4 * z), y = (r.y.z + r.z.y) / (4 * z);
  }
  return {static_cast<float>(x), static_cast<float>(y), static_cast<float>(z), static_cast<float>(w)};
}

inline Rotation to_rotation(Quat q) {
  const D3 u{static_cast<double>(q.x), static_cast<double>(q.y), static_cast<double>(q.z)};
  const double w = static_cast<double>(q.w), n = 1 / std::sqrt(dot(u, u) + w * w);
  const D3 v = u * n;
  const auto rotated = [&](D3 p) {
    const D3 t = cross(v, p) * 2.0;
    return p + t * (w * n) + cross(v, t);
  };
  return {rotated({1, 0, 0}), rotated({0, 1, 0}), rotated({0, 0, 1})};
}

// Euler angles of about_x(x) * about_z(z) * about_y(y).
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

// Random numbers that are the same with every standard library.
class Random {
 public:
  explicit Random(uint32_t seed) : engine_(seed) {}

  double uniform(double low, double high) {
    return low + (high - low) * (static_cast<double>(engine_()) / 4294967296.0);
  }
  // Uniform integer from 0 to count - 1.
  int below(int count) { return std::min(count - 1, static_cast<int>(uniform(0, count))); }
  bool chance(double share) { return uniform(0, 1) < share; }
  double sign() { return chance(0.5) ? 1 : -1; }

 private:
  std::mt19937 engine_;
};

}  // namespace billow::motion
