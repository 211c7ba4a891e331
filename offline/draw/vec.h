// 3D vectors of the renderer: metres, right-handed, y up.
#pragma once

#include <algorithm>
#include <cmath>

namespace billow::draw {

struct Vec3 {
  float x = 0, y = 0, z = 0;
};

inline Vec3 operator+(Vec3 a, Vec3 b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
inline Vec3 operator-(Vec3 a, Vec3 b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
inline Vec3 operator*(float s, Vec3 a) { return {s * a.x, s * a.y, s * a.z}; }
inline float dot(Vec3 a, Vec3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
inline Vec3 cross(Vec3 a, Vec3 b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
inline float length(Vec3 a) { return std::sqrt(dot(a, a)); }
// The zero vector stays zero.
inline Vec3 normalised(Vec3 a) {
  const float l = length(a);
  return l > 0 ? (1 / l) * a : Vec3{};
}
// Some unit vector perpendicular to `a`.
inline Vec3 across(Vec3 a) {
  return normalised(std::fabs(a.y) < 0.9f * length(a) ? cross({0, 1, 0}, a) : cross({1, 0, 0}, a));
}

// Hermite interpolation from 0 at `from` to 1 at `to`, with zero slope at both.
inline float smooth_step(float from, float to, float x) {
  const float t = std::clamp((x - from) / (to - from), 0.0f, 1.0f);
  return t * t * (3 - 2 * t);
}

}  // namespace billow::draw
