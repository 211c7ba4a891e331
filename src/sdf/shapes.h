// Exact signed distances of the primitive shapes and their gradients, one point per lane.
//
// phi < 0 inside. Gradients have unit length. All shapes are 1-Lipschitz (they never overestimate
// a distance), which sphere tracing and the swept check rely on.
#pragma once

#include "core/vec.h"

namespace billow {

// Distance and outward unit normal.
template <AnyLanes F> struct Distance {
  F phi;
  Vec3<F> gradient;
};
using Distance4 = Distance<F4>;

// Sphere, capsule and tapered capsule in one: the union of spheres whose centres run from `start` along unit
// `axis` for `length` while the radius goes from `radius` to `radius - taper * length`. The nearest sphere's
// centre, `along` the axis, is found by walking from the point to the axis along the cone's normal (of slope
// `slope`).
template <AnyLanes F> struct CapsuleDistance {
  F phi;
  F along;
};

template <AnyLanes F>
BILLOW_HD BILLOW_ALWAYS_INLINE CapsuleDistance<F> capsule_distance(Vec3<F> p, V3 start, V3 axis, float length,
                                                                   float radius, float taper, float slope) {
  Vec3<F> w = p - lanes<F>(start);
  Vec3<F> u = lanes<F>(axis);
  F height = dot(w, u);
  Vec3<F> across = w - u * height;
  F across2 = dot(across, across);
  F along = clamp(slope == 0 ? height : height - sqrt(across2) * slope, 0.0f, length);
  F beyond = height - along;
  return {sqrt(across2 + beyond * beyond) - (radius - taper * along), along};
}

template <AnyLanes F>
BILLOW_HD BILLOW_ALWAYS_INLINE Vec3<F> capsule_gradient(const CapsuleDistance<F>& c, Vec3<F> p, V3 start,
                                                        V3 axis) {
  Vec3<F> offset = p - lanes<F>(start) - lanes<F>(axis) * c.along;
  F length2 = dot(offset, offset);
  auto ok = length2 > 1e-16f;
  F l = sqrt(select(ok, length2, lanes<F>(1.0f)));
  return select(ok, offset * (1.0f / l), lanes<F>(V3{axis.y, axis.z, axis.x}));
}

// Box of half-extents `half` (rounding included), edges rounded by `radius`; in its own frame.
template <AnyLanes F> BILLOW_HD inline Distance<F> rounded_box(Vec3<F> p, V3 half, float radius) {
  Vec3<F> sign = {select(p.x < 0.0f, lanes<F>(-1.0f), lanes<F>(1.0f)),
                  select(p.y < 0.0f, lanes<F>(-1.0f), lanes<F>(1.0f)),
                  select(p.z < 0.0f, lanes<F>(-1.0f), lanes<F>(1.0f))};
  Vec3<F> q = {abs(p.x) - (half.x - radius), abs(p.y) - (half.y - radius), abs(p.z) - (half.z - radius)};
  Vec3<F> outside = {max(q.x, 0.0f), max(q.y, 0.0f), max(q.z, 0.0f)};
  F largest = max(q.x, max(q.y, q.z));
  F l2 = dot(outside, outside);
  auto is_out = largest > 0.0f;
  F l = sqrt(select(is_out, l2, lanes<F>(1.0f)));
  // Inside, the nearest face is the one of the largest q; ties go to x, then y.
  auto face_x = q.x >= largest;
  auto face_y = (q.y >= largest) & ~face_x;
  Vec3<F> face = {select(face_x, lanes<F>(1.0f), lanes<F>(0.0f)),
                  select(face_y, lanes<F>(1.0f), lanes<F>(0.0f)),
                  select(face_x | face_y, lanes<F>(0.0f), lanes<F>(1.0f))};
  Vec3<F> n = select(is_out, outside * (lanes<F>(1.0f) / l), face);
  return {select(is_out, l, largest) - radius, {n.x * sign.x, n.y * sign.y, n.z * sign.z}};
}

// Ellipsoid in its own frame, in two steps: a cheap lower bound, which is often enough, and from it the
// distance.
struct EllipsoidShape {
  V3 inverse;      // of the half-axes
  V3 a, e;         // half-axes in units of the shortest, and their squares minus 1
  float max_e;     // largest entry of e
  float shortest;  // half-axis
};

inline EllipsoidShape ellipsoid_shape(V3 r) {
  const float shortest = r.x < r.y ? (r.x < r.z ? r.x : r.z) : (r.y < r.z ? r.y : r.z);
  const V3 a = r * (1.0f / shortest);
  const V3 e{(a.x - 1) * (a.x + 1), (a.y - 1) * (a.y + 1), (a.z - 1) * (a.z + 1)};
  const float max_e = e.x > e.y ? (e.x > e.z ? e.x : e.z) : (e.y > e.z ? e.y : e.z);
  return {{1.0f / r.x, 1.0f / r.y, 1.0f / r.z}, a, e, max_e, shortest};
}

template <AnyLanes F> struct EllipsoidStart {
  F bound;  // lower bound of the distance
  F s;      // initial guess of the root s below
};

// k = |p / r| is convex, so it changes to 1 no faster than along its gradient: (k - 1) / |grad k| bounds the
// distance from below, inside and out, and is exact on the surface.
template <AnyLanes F>
BILLOW_HD BILLOW_ALWAYS_INLINE EllipsoidStart<F> ellipsoid_start(Vec3<F> p, const EllipsoidShape& shape) {
  const V3 i = shape.inverse;
  Vec3<F> q = {p.x * i.x, p.y * i.y, p.z * i.z};
  Vec3<F> g = {q.x * i.x, q.y * i.y, q.z * i.z};
  F k2 = dot(q, q), g2 = dot(g, g);
  auto ok = k2 > 1e-12f;
  F k = sqrt(k2), per_slope = 1.0f / sqrt(select(ok, g2, lanes<F>(1.0f)));
  F bound = select(ok, (k2 - k) * per_slope, lanes<F>(-1e30f));
  // The offset along the normal to the surface, if that were as curved as the level set here.
  return {bound, select(ok, bound * k * per_slope, bound)};
}

// Normal of the level set of k through a point: the direction in which that bound is measured.
template <AnyLanes F>
BILLOW_HD BILLOW_ALWAYS_INLINE Vec3<F> level_set_normal(Vec3<F> p, const EllipsoidShape& shape) {
  const V3 i = shape.inverse;
  return normalized_or(Vec3<F>{p.x * (i.x * i.x), p.y * (i.y * i.y), p.z * (i.z * i.z)},
                       lanes<F>(V3{0, 1, 0}));
}

// The nearest surface point is x_i = r_i^2 p_i / (s + e_i), e_i = r_i^2 - m^2 with m the shortest half-axis,
// and s the largest root of G(s) = sum (r_i p_i / (s + e_i))^2 = 1 (Eberly, "Distance from a Point to an
// Ellipse, an Ellipsoid, or a Hyperellipsoid"; s = t + m^2, so that nothing cancels near the medial disc). 1
// / sqrt(G) is concave and nearly straight, as trust-region methods know, so Newton's steps on it land left
// of the root and climb to it: two are enough outside, the medial disc needs more. Fractions are brought to
// one denominator, P = product (s + e_i), because divisions are expensive.
template <AnyLanes F>
BILLOW_HD BILLOW_ALWAYS_INLINE Distance<F> ellipsoid(Vec3<F> p, const EllipsoidShape& shape,
                                                     const EllipsoidStart<F>& start) {
  constexpr int kUsualSteps = 2, kMaxSteps = 16;
  const V3 a = shape.a, e = shape.e;
  const float unit = 1.0f / shape.shortest;
  // Keep off the symmetry planes, where the formula is 0/0.
  Vec3<F> y = {max(abs(p.x) * unit, 1e-5f * a.x), max(abs(p.y) * unit, 1e-5f * a.y),
               max(abs(p.z) * unit, 1e-5f * a.z)};
  Vec3<F> ay = {a.x * y.x, a.y * y.y, a.z * y.z};
  // The root is right of where one term alone is 1. Start there or beyond, and measure s, e and a y in units
  // of the largest s + e_i, so that powers stay in range.
  F low = max(ay.x - e.x, max(ay.y - e.y, ay.z - e.z));
  F s = max(low, start.s * (unit * unit) + 1.0f);
  F h = 1.0f / (s + shape.max_e);
  Vec3<F> eh = {e.x * h, e.y * h, e.z * h};
  ay = ay * h;
  low *= h;
  s *= h;
  auto active = s >= low;
  Vec3<F> others;  // products of the other two of s + e_i
  F product;
  for (int i = 0;; ++i) {
    Vec3<F> d = {s + eh.x, s + eh.y, s + eh.z};
    others = {d.y * d.z, d.x * d.z, d.x * d.y};
    product = d.x * others.x;
    if (i == kMaxSteps || (i >= kUsualSteps && !any(active))) break;
    Vec3<F> n = {ay.x * others.x, ay.y * others.y, ay.z * others.z};
    Vec3<F> n2 = {n.x * n.x, n.y * n.y, n.z * n.z};
    F square = n2.x + n2.y + n2.z;  // G = square / product^2
    F over = sqrt(square) - product;
    F slope = max(dot(n2, others), 1e-37f);
    s = select(active, max(low, s + over * square / slope), s);
    // Each step squares the error. A lane that has converged keeps its value, so that it does not depend on
    // the others.
    active = active & (abs(over) > 2e-5f * product);
  }
  // The normal at the nearest point, along x_i / r_i^2, is well defined even on the surface.
  Vec3<F> n = {y.x * others.x, y.y * others.y, y.z * others.z};
  F scale = h / product;
  Vec3<F> nearest = {(a.x * a.x) * n.x * scale, (a.y * a.y) * n.y * scale, (a.z * a.z) * n.z * scale};
  n = n * (1.0f / length(n));
  F phi = dot(y - nearest, n) * shape.shortest;
  Vec3<F> gradient = {select(p.x < 0.0f, -n.x, n.x), select(p.y < 0.0f, -n.y, n.y),
                      select(p.z < 0.0f, -n.z, n.z)};
  return {phi, gradient};
}

inline Distance4 ellipsoid(V3x4 p, V3 r) {
  const EllipsoidShape shape = ellipsoid_shape(r);
  return ellipsoid(p, shape, ellipsoid_start(p, shape));
}

}  // namespace billow
