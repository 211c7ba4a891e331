// Double-precision three-vectors, for references and measurements in tests.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>

namespace billow::testing {

struct Vector {
  std::array<double, 3> v{};

  double& operator[](size_t k) { return v[k]; }
  double operator[](size_t k) const { return v[k]; }
  auto begin() { return v.begin(); }
  auto end() { return v.end(); }
  auto begin() const { return v.begin(); }
  auto end() const { return v.end(); }
};

inline Vector operator+(const Vector& a, const Vector& b) {
  return {{a[0] + b[0], a[1] + b[1], a[2] + b[2]}};
}
inline Vector operator-(const Vector& a, const Vector& b) {
  return {{a[0] - b[0], a[1] - b[1], a[2] - b[2]}};
}
inline Vector operator*(const Vector& a, double s) { return {{a[0] * s, a[1] * s, a[2] * s}}; }
inline double dot(const Vector& a, const Vector& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
inline double length(const Vector& a) { return std::sqrt(dot(a, a)); }
inline Vector cross(const Vector& a, const Vector& b) {
  return {{a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]}};
}
// Rotates by a unit quaternion x y z w.
inline Vector rotate(const std::array<double, 4>& q, const Vector& v) {
  const Vector u{{q[0], q[1], q[2]}}, t = cross(u, v) * 2;
  return v + t * q[3] + cross(u, t);
}

// Vector i of packed floats, three each.
inline Vector vector_at(const float* packed, size_t i) {
  return {{packed[3 * i], packed[3 * i + 1], packed[3 * i + 2]}};
}

}  // namespace billow::testing
