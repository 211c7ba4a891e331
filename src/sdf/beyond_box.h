// Extrapolation of a distance field outside the box that it is defined in.
#pragma once

#include "sdf/shapes.h"

namespace billow {

template <AnyLanes F> inline Vec3<F> clamp_to_box(Vec3<F> p, V3 half) {
  return {clamp(p.x, -half.x, half.x), clamp(p.y, -half.y, half.y), clamp(p.z, -half.z, half.z)};
}

// Extrapolates a field from the nearest point of a box around its surface to a point `offset` outside the
// box: the distance to the surface point that value and gradient at the box point to. It is at least
// sqrt(|offset|^2 + phi^2), a lower bound of the true distance, and a few per cent too large at most where
// the true nearest point is another one. Without offset nothing changes.
template <AnyLanes F> inline Distance<F> beyond_box(const Distance<F>& edge, Vec3<F> offset) {
  F apart2 = dot(offset, offset);
  auto outside = apart2 > 0.0f;
  if (!any(outside)) return edge;
  F phi = max(edge.phi, 0.0f);
  F along = max(dot(edge.gradient, offset), 0.0f);
  F distance = sqrt(apart2 + phi * (phi + 2.0f * along));
  Vec3<F> gradient = (offset + edge.gradient * phi) * (1.0f / select(outside, distance, lanes<F>(1.0f)));
  return {select(outside, distance, edge.phi), select(outside, gradient, edge.gradient)};
}

// Signed distance to a box: a lower bound of the distance to a surface inside it.
template <AnyLanes F> inline F distance_to_box(Vec3<F> p, V3 half) {
  const F depth = max(abs(p.x) - half.x, max(abs(p.y) - half.y, abs(p.z) - half.z));
  return select(depth < 0.0f, depth, length(p - clamp_to_box(p, half)));
}

}  // namespace billow
