// Signed distances of the primitive shapes in double precision, computed from the boundary rather than by the
// formulas of src/sdf/shapes.h. Slow references for tests.
#pragma once

#include <algorithm>
#include <cmath>

#include "support/vector.h"

namespace billow::testing {

// Two spheres on the y axis, of radius a at y = 0 and radius b at y = l, and the cone tangent to both; |a -
// b| < l. By the outline in the half plane of (y, distance to the axis): arc, straight line, arc.
inline double exact_tapered_capsule(const Vector& p, double l, double a, double b) {
  const double y = p[1], r = std::hypot(p[0], p[2]);
  if (l <= 0) return std::hypot(y, r) - std::max(a, b);
  // The line is tangent to both circles where their radius points along (sine, cosine).
  const double sine = (a - b) / l, cosine = std::sqrt(1 - sine * sine);
  const double along = y * cosine - r * sine;  // from the first tangent point to the second: 0 to l cosine
  const double above = y * sine + r * cosine - a;
  const double to_first = std::hypot(y, r) - a, to_second = std::hypot(y - l, r) - b;
  const bool at_line = along >= 0 && along <= l * cosine;
  const bool inside = to_first < 0 || to_second < 0 || (at_line && above < 0);

  // The nearest of the three pieces. Beyond the end of an arc, that end is its nearest point.
  const double first_end = std::hypot(y - a * sine, r - a * cosine);
  const double second_end = std::hypot(y - l - b * sine, r - b * cosine);
  double nearest = std::min(first_end, second_end);
  if (at_line) nearest = std::min(nearest, std::fabs(above));
  if (along <= 0) nearest = std::min(nearest, std::fabs(to_first));
  if (along >= l * cosine) nearest = std::min(nearest, std::fabs(to_second));
  return inside ? -nearest : nearest;
}

// Box of half-extents `half` with edges rounded by `radius`: the box smaller by the radius, grown by it.
inline double exact_rounded_box(const Vector& p, const Vector& half, double radius) {
  Vector nearest;
  double depth = 1e300;
  for (size_t k = 0; k < 3; ++k) {
    const double inner = half[k] - radius;
    nearest[k] = std::clamp(p[k], -inner, inner);
    depth = std::min(depth, half[k] - std::fabs(p[k]));
  }
  const double to_inner = length(p - nearest);
  return to_inner > 0 ? to_inner - radius : -depth;
}

// Ellipsoid of half-axes r: bisects for the nearest point r_k^2 y_k / (s + r_k^2 - m^2), m the shortest
// half-axis.
inline double exact_ellipsoid(const Vector& p, const Vector& r) {
  const double shortest = std::min({r[0], r[1], r[2]});
  Vector y, excess;
  double high = 0;
  for (size_t k = 0; k < 3; ++k) {
    y[k] = std::max(std::fabs(p[k]), 1e-13 * r[k]);
    excess[k] = (r[k] - shortest) * (r[k] + shortest);
    high += r[k] * y[k];
  }
  double low = 0;
  for (int i = 0; i < 120; ++i) {
    const double s = 0.5 * (low + high);
    double sum = 0;
    for (size_t k = 0; k < 3; ++k) sum += std::pow(r[k] * y[k] / (s + excess[k]), 2);
    (sum > 1 ? low : high) = s;
  }
  Vector nearest;
  double inside = -1;
  for (size_t k = 0; k < 3; ++k) {
    nearest[k] = r[k] * r[k] * y[k] / (high + excess[k]);
    inside += p[k] * p[k] / (r[k] * r[k]);
  }
  return inside < 0 ? -length(y - nearest) : length(y - nearest);
}

}  // namespace billow::testing
