// Three-vectors, quaternions and rigid transforms: scalar, and four at a time.
// Units are SI, axes right-handed with y up.
#pragma once

#include <cmath>
#include <cstddef>

#include "core/simd.h"

namespace billow {

// One vector (T = float) or one per lane (T = F4 or F8).
template <class T> struct Vec3 { T x, y, z; };
using V3 = Vec3<float>;
using V3x4 = Vec3<F4>;

template <class T> BILLOW_HD inline Vec3<T> operator+(Vec3<T> a, Vec3<T> b) {
  return {a.x + b.x, a.y + b.y, a.z + b.z};
}
template <class T> BILLOW_HD inline Vec3<T> operator-(Vec3<T> a, Vec3<T> b) {
  return {a.x - b.x, a.y - b.y, a.z - b.z};
}
template <class T> BILLOW_HD inline Vec3<T> operator-(Vec3<T> a) { return {-a.x, -a.y, -a.z}; }
template <class T> BILLOW_HD inline Vec3<T> operator*(Vec3<T> a, T s) { return {a.x * s, a.y * s, a.z * s}; }
template <class T> BILLOW_HD inline Vec3<T> operator*(T s, Vec3<T> a) { return a * s; }
template <AnyLanes F> BILLOW_HD inline Vec3<F> operator*(Vec3<F> a, float s) { return a * lanes<F>(s); }
template <AnyLanes F> BILLOW_HD inline Vec3<F> operator*(float s, Vec3<F> a) { return a * lanes<F>(s); }
template <class T> BILLOW_HD inline Vec3<T>& operator+=(Vec3<T>& a, Vec3<T> b) { return a = a + b; }
template <class T> BILLOW_HD inline Vec3<T>& operator-=(Vec3<T>& a, Vec3<T> b) { return a = a - b; }
template <class T> BILLOW_HD inline T dot(Vec3<T> a, Vec3<T> b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
template <class T> BILLOW_HD inline Vec3<T> cross(Vec3<T> a, Vec3<T> b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
template <class T> BILLOW_HD inline T length(Vec3<T> a) {
  using std::sqrt;
  return sqrt(dot(a, a));
}

template <AnyLanes F> BILLOW_HD inline Vec3<F> lanes(V3 a) {
  return {lanes<F>(a.x), lanes<F>(a.y), lanes<F>(a.z)};
}
inline V3x4 splat(V3 a) { return lanes<F4>(a); }
inline V3x4 zero3() { return {zero(), zero(), zero()}; }
template <class M, AnyLanes F> BILLOW_HD inline Vec3<F> select(M m, Vec3<F> a, Vec3<F> b) {
  return {select(m, a.x, b.x), select(m, a.y, b.y), select(m, a.z, b.z)};
}
inline V3x4 low_half(const Vec3<F8>& a) { return {low_half(a.x), low_half(a.y), low_half(a.z)}; }
inline V3x4 high_half(const Vec3<F8>& a) { return {high_half(a.x), high_half(a.y), high_half(a.z)}; }
inline V3 lane(V3x4 a, int i) { return {lane(a.x, i), lane(a.y, i), lane(a.z, i)}; }

// a / |a|, or `fallback` where |a| is (nearly) zero.
template <AnyLanes F> BILLOW_HD inline Vec3<F> normalized_or(Vec3<F> a, Vec3<F> fallback) {
  F l2 = dot(a, a);
  auto ok = l2 > 1e-24f;
  F inverse = 1.0f / sqrt(select(ok, l2, lanes<F>(1.0f)));
  return select(ok, a * inverse, fallback);
}

struct Quat {
  float x, y, z, w;
};

BILLOW_HD inline Quat operator*(Quat a, Quat b) {
  return {a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y, a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
          a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w, a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z};
}
BILLOW_HD inline Quat conjugate(Quat q) { return {-q.x, -q.y, -q.z, q.w}; }
BILLOW_HD inline float dot(Quat a, Quat b) { return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w; }
BILLOW_HD inline Quat normalized(Quat q) {
  float n = std::sqrt(dot(q, q));
  if (!(n > 1e-12f)) return {0, 0, 0, 1};
  float s = 1.0f / n;
  return {q.x * s, q.y * s, q.z * s, q.w * s};
}
BILLOW_HD inline V3 rotate(Quat q, V3 v) {
  V3 u{q.x, q.y, q.z};
  V3 t = cross(u, v) * 2.0f;
  return v + t * q.w + cross(u, t);
}
// Normalised linear blend, the short way round. Used for fractions of a frame's rotation, where it
// is within 1e-3 of the angle of a true slerp and needs no trigonometry (which is not portable to
// the bit).
BILLOW_HD inline Quat nlerp(Quat a, Quat b, float t) {
  float s = dot(a, b) < 0 ? -t : t;
  float r = 1.0f - t;
  return normalized({a.x * r + b.x * s, a.y * r + b.y * s, a.z * r + b.z * s, a.w * r + b.w * s});
}

// x -> rotation * x + position.
struct Transform {
  V3 position{0, 0, 0};
  Quat rotation{0, 0, 0, 1};
};

BILLOW_HD inline V3 apply(const Transform& t, V3 v) { return rotate(t.rotation, v) + t.position; }
BILLOW_HD inline Transform operator*(const Transform& a, const Transform& b) {
  return {apply(a, b.position), normalized(a.rotation * b.rotation)};
}
BILLOW_HD inline Transform inverse(const Transform& t) {
  Quat q = conjugate(t.rotation);
  return {-rotate(q, t.position), q};
}
BILLOW_HD inline bool same(const Transform& a, const Transform& b) {
  return a.position.x == b.position.x && a.position.y == b.position.y && a.position.z == b.position.z &&
         a.rotation.x == b.rotation.x && a.rotation.y == b.rotation.y && a.rotation.z == b.rotation.z &&
         a.rotation.w == b.rotation.w;
}
BILLOW_HD inline Transform blend(const Transform& a, const Transform& b, float t) {
  if (same(a, b)) return b;  // a static transform has to stay so to the last bit
  return {a.position * (1.0f - t) + b.position * t, nlerp(a.rotation, b.rotation, t)};
}

// A rigid transform as matrix rows, for application to several points at once.
struct RigidMatrix {
  V3 rx{1, 0, 0}, ry{0, 1, 0}, rz{0, 0, 1};
  V3 translation{0, 0, 0};
};

BILLOW_HD inline RigidMatrix to_matrix(const Transform& t) {
  V3 ex = rotate(t.rotation, {1, 0, 0}), ey = rotate(t.rotation, {0, 1, 0}),
     ez = rotate(t.rotation, {0, 0, 1});
  return {{ex.x, ey.x, ez.x}, {ex.y, ey.y, ez.y}, {ex.z, ey.z, ez.z}, t.position};
}
template <AnyLanes F> BILLOW_HD inline Vec3<F> rotate_by(const RigidMatrix& m, Vec3<F> d) {
  return {m.rx.x * d.x + m.rx.y * d.y + m.rx.z * d.z, m.ry.x * d.x + m.ry.y * d.y + m.ry.z * d.z,
          m.rz.x * d.x + m.rz.y * d.y + m.rz.z * d.z};
}
template <AnyLanes F> BILLOW_HD inline Vec3<F> apply(const RigidMatrix& m, Vec3<F> p) {
  return rotate_by(m, p) + lanes<F>(m.translation);
}
// The inverse rotation of a direction.
template <AnyLanes F> BILLOW_HD inline Vec3<F> apply_transposed(const RigidMatrix& m, Vec3<F> d) {
  return {m.rx.x * d.x + m.ry.x * d.y + m.rz.x * d.z, m.rx.y * d.x + m.ry.y * d.y + m.rz.y * d.z,
          m.rx.z * d.x + m.ry.z * d.y + m.rz.z * d.z};
}

// sin and cos of an angle in [0, pi], to 2e-7, by polynomials (the C library's differ between platforms in
// the last bit).
inline void sin_cos(F4 angle, F4& s, F4& c) {
  // Fold to [0, pi/2], where the Taylor series is short; pi is split into two floats.
  F4 a = min(angle, 3.14159274f - angle - 8.74227766e-8f), a2 = a * a;
  s = a * (1.0f - a2 * (splat(1.0f / 6) -
                        a2 * (splat(1.0f / 120) -
                              a2 * (splat(1.0f / 5040) -
                                    a2 * (splat(1.0f / 362880) -
                                          a2 * (splat(1.0f / 39916800) - a2 * (1.0f / 6227020800.0f)))))));
  F4 folded =
      1.0f - a2 * (splat(0.5f) - a2 * (splat(1.0f / 24) -
                                       a2 * (splat(1.0f / 720) -
                                             a2 * (splat(1.0f / 40320) -
                                                   a2 * (splat(1.0f / 3628800) - a2 * (1.0f / 479001600))))));
  c = select(angle > 1.57079633f, -folded, folded);
}

// Structure-of-arrays vectors: x[i], y[i], z[i].
struct Rows3 {
  float* x = nullptr;
  float* y = nullptr;
  float* z = nullptr;
};
inline V3x4 load(const Rows3& r, size_t i) { return {load(r.x + i), load(r.y + i), load(r.z + i)}; }
inline void store(const Rows3& r, size_t i, V3x4 v) {
  store(r.x + i, v.x);
  store(r.y + i, v.y);
  store(r.z + i, v.z);
}
BILLOW_HD inline V3 get(const Rows3& r, size_t i) { return {r.x[i], r.y[i], r.z[i]}; }
BILLOW_HD inline void set(const Rows3& r, size_t i, V3 v) {
  r.x[i] = v.x;
  r.y[i] = v.y;
  r.z[i] = v.z;
}

}  // namespace billow
