// A signed distance as a small neural network of a point: two hidden layers, trained offline.
//
//     phi(p) = c . s(B s(A p + a) + b) + d
//
// with s a parabola that joins 0 and the identity: s(z) = 0, (z + 1)^2 / 4, z for z below, within, above [-1,
// 1]. It is continuously differentiable and costs four cheap operations, which give the same bits on every
// machine.
#pragma once

#include "sdf/shapes.h"

namespace billow {

inline constexpr int kMaxUnits = 64;

// In the collider's frame. Metres.
struct SdfNetwork {
  // For each unit of the first layer its row of A and its entry of a; for each unit of the second its entry
  // of b, its row of B and its entry of c; then d.
  const float* weights = nullptr;
  int width = 0;     // units of a hidden layer, a multiple of 4
  V3 half{0, 0, 0};  // the box about the origin that it was trained in
};

constexpr int weight_count(int width) { return 4 * width + width * (width + 2) + 1; }

// The activation and its slope.
template <AnyLanes F> struct Activation { F value, slope; };
template <AnyLanes F> inline Activation<F> activate(F z) {
  F within = clamp(z + 1.0f, 0.0f, 2.0f);
  return {within * within * 0.25f + max(z - 1.0f, 0.0f), within * 0.5f};
}

// The value and its gradient, which need not have unit length. Extrapolated outside the box (beyond_box.h).
template <AnyLanes F> Distance<F> network_distance(const SdfNetwork& network, Vec3<F> p);
extern template Distance<F4> network_distance(const SdfNetwork& network, Vec3<F4> p);
extern template Distance<F8> network_distance(const SdfNetwork& network, Vec3<F8> p);

}  // namespace billow
