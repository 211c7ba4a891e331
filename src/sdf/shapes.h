// Exact signed distances of the primitive shapes and their gradients, four points at a time.
//
// phi < 0 inside. Gradients have unit length. All shapes are 1-Lipschitz (they never overestimate
// a distance), which sphere tracing and the swept check rely on.
#pragma once

#include "core/vec.h"

namespace billow {

// Distance and outward unit normal.
struct Distance4 {
  F4 phi;
  V3x4 gradient;
};

// Sphere, capsule and tapered capsule in one: the union of spheres whose centres run from `start` along unit
// `axis` for `length` while the radius goes from `radius` to `radius - taper * length`. The nearest sphere's
// centre is found by walking from the point to the axis along the cone's normal (of slope `slope`).
struct CapsuleDistance4 {
  F4 phi;
  V3x4 offset;  // from the nearest sphere's centre
  F4 length2;   // of the offset, squared
};

inline CapsuleDistance4 capsule_distance(V3x4 p, V3 start, V3 axis, float length, float radius, float taper,
                                         float slope) {
  V3x4 w = p - splat(start);
  V3x4 u = splat(axis);
  F4 along = dot(w, u);
  F4 y = along;
  if (slope != 0) {
    V3x4 across = w - u * along;
    y = along - sqrt(dot(across, across)) * slope;
  }
  y = clamp(y, 0.0f, length);
  V3x4 d = w - u * y;
  F4 l2 = dot(d, d);
  return {sqrt(l2) - (radius - taper * y), d, l2};
}

inline V3x4 capsule_gradient(const CapsuleDistance4& c, V3 axis) {
  M4 ok = c.length2 > 1e-16f;
  F4 l = sqrt(select(ok, c.length2, splat(1.0f)));
  return select(ok, c.offset * (splat(1.0f) / l), splat(V3{axis.y, axis.z, axis.x}));
}

// Box of half-extents `half` (rounding included), edges rounded by `radius`; in its own frame.
inline Distance4 rounded_box(V3x4 p, V3 half, float radius) {
  V3x4 sign = {select(p.x < 0.0f, splat(-1.0f), splat(1.0f)), select(p.y < 0.0f, splat(-1.0f), splat(1.0f)),
               select(p.z < 0.0f, splat(-1.0f), splat(1.0f))};
  V3x4 q = {abs(p.x) - (half.x - radius), abs(p.y) - (half.y - radius), abs(p.z) - (half.z - radius)};
  V3x4 outside = {max(q.x, zero()), max(q.y, zero()), max(q.z, zero())};
  F4 largest = max(q.x, max(q.y, q.z));
  F4 l2 = dot(outside, outside);
  M4 is_out = largest > 0.0f;
  F4 l = sqrt(select(is_out, l2, splat(1.0f)));
  // Inside, the nearest face is the one of the largest q; ties go to x, then y.
  M4 face_x = q.x >= largest, face_y = (q.y >= largest) & ~face_x;
  V3x4 face = {select(face_x, splat(1.0f), zero()), select(face_y, splat(1.0f), zero()),
               select(face_x | face_y, zero(), splat(1.0f))};
  V3x4 n = select(is_out, outside * (splat(1.0f) / l), face);
  return {select(is_out, l, largest) - radius, {n.x * sign.x, n.y * sign.y, n.z * sign.z}};
}

// Ellipsoid of half-axes `r`, in its own frame. The nearest surface point is x_i = r_i^2 p_i / (s + e_i), e_i
// = r_i^2 - m^2 with m the shortest half-axis, and s the largest root of g(s) = sum (r_i p_i / (s + e_i))^2 -
// 1 (Eberly, "Distance from a Point to an Ellipse, an Ellipsoid, or a Hyperellipsoid"; s = t + m^2, so that
// nothing cancels near the medial disc). g is convex and falling right of the poles, so Newton from a lower
// bound of the root climbs to it without overshoot.
inline Distance4 ellipsoid(V3x4 p, V3 r) {
  constexpr int kNewtonSteps = 12;
  float most = r.x > r.y ? (r.x > r.z ? r.x : r.z) : (r.y > r.z ? r.y : r.z);
  float least = r.x < r.y ? (r.x < r.z ? r.x : r.z) : (r.y < r.z ? r.y : r.z);
  V3 e{(r.x - least) * (r.x + least), (r.y - least) * (r.y + least), (r.z - least) * (r.z + least)};
  // Keep off the symmetry planes, where the formula is 0/0.
  V3x4 y = {max(abs(p.x), splat(1e-5f * r.x)), max(abs(p.y), splat(1e-5f * r.y)),
            max(abs(p.z), splat(1e-5f * r.z))};
  V3x4 ry = {r.x * y.x, r.y * y.y, r.z * y.z};
  F4 s =
      max(max(ry.x - e.x, ry.y - e.y), max(ry.z - e.z, sqrt(dot(ry, ry)) - (most - least) * (most + least)));
  for (int i = 0; i < kNewtonSteps; ++i) {
    F4 ix = splat(1.0f) / (s + e.x), iy = splat(1.0f) / (s + e.y), iz = splat(1.0f) / (s + e.z);
    F4 ax = ry.x * ix, ay = ry.y * iy, az = ry.z * iz;
    F4 sx = ax * ax, sy = ay * ay, sz = az * az;
    F4 g = sx + sy + sz - 1.0f;
    F4 slope = 2.0f * (sx * ix + sy * iy + sz * iz);
    s += g / slope;
  }
  // The normal at the nearest point, x_i / r_i^2, is well defined even on the surface.
  V3x4 n = {y.x / (s + e.x), y.y / (s + e.y), y.z / (s + e.z)};
  V3x4 nearest = {r.x * r.x * n.x, r.y * r.y * n.y, r.z * r.z * n.z};
  n = n * (splat(1.0f) / length(n));
  F4 phi = dot(y - nearest, n);
  V3x4 gradient = {select(p.x < 0.0f, -n.x, n.x), select(p.y < 0.0f, -n.y, n.y),
                   select(p.z < 0.0f, -n.z, n.z)};
  return {phi, gradient};
}

}  // namespace billow
