// Vectors in the last dimension of tensors. For sources of this folder only: other headers do not include torch.
//
// A scalar of a bone keeps its last dimension, [..., 1], so that it multiplies vectors. Roots of what may be zero are taken of no
// less than `least`: their derivative is then zero instead of infinite.
#pragma once

#include <torch/torch.h>

#include <vector>

namespace billow::train::differentiable {

using torch::Tensor;

inline constexpr double kTiny = 1e-24;  // m2: lengths below have no direction

inline Tensor dot3(const Tensor& a, const Tensor& b) { return (a * b).sum(-1, true); }
// libtorch wants as many dimensions on both sides.
inline Tensor cross3(const Tensor& a, const Tensor& b) {
  if (a.dim() < b.dim()) return cross3(a.unsqueeze(0), b);
  if (a.dim() > b.dim()) return cross3(a, b.unsqueeze(0));
  return torch::linalg_cross(a, b, -1);
}
inline Tensor length3(const Tensor& a, double least = kTiny) { return dot3(a, a).clamp_min(least).sqrt(); }
// a / |a|, or `fallback` where |a| is nearly zero.
inline Tensor unit3_or(const Tensor& a, const Tensor& fallback) {
  const Tensor square = dot3(a, a);
  return torch::where(square > kTiny, a / square.clamp_min(kTiny).sqrt(), fallback);
}
inline Tensor zero_unless(const Tensor& mask, const Tensor& a) {
  return torch::where(mask, a, torch::zeros({}, a.options()));
}
inline bool any_of(const Tensor& mask) { return mask.any().item<bool>(); }

// Dimensions of bones and chains, of [clips, chains, bones, 3] and of [chains, bones, 1] alike.
inline constexpr int64_t kBones = -2, kChains = -3;
// Bones from the first below the root on, and the bones above these.
inline Tensor lower(const Tensor& a) { return a.narrow(kBones, 1, a.size(kBones) - 1); }
inline Tensor upper(const Tensor& a) { return a.narrow(kBones, 0, a.size(kBones) - 1); }
// What acts on lower() or upper(), for all bones of a chain.
inline Tensor on_lower(const Tensor& a) { return torch::constant_pad_nd(a, {0, 0, 1, 0}); }
inline Tensor on_upper(const Tensor& a) { return torch::constant_pad_nd(a, {0, 0, 0, 1}); }
// Of the next chain and of the one before. The last chain's next one is the first; open garments have nothing between the two.
inline Tensor next_chain(const Tensor& a) { return a.roll(-1, kChains); }
inline Tensor chain_before(const Tensor& a) { return a.roll(1, kChains); }

// Rotations are quaternions x y z w.
Tensor rotate(const Tensor& rotation, const Tensor& v);
Tensor matrix_of(const Tensor& rotation);  // [..., 3, 3]
// Transforms: position and rotation, [..., 7]. `share` of the way from one to the other, as billow::blend().
Tensor blend(const Tensor& from, const Tensor& to, const Tensor& share);
inline Tensor position_of(const Tensor& transform) { return transform.narrow(-1, 0, 3); }
inline Tensor rotation_of(const Tensor& transform) { return transform.narrow(-1, 3, 4); }

}  // namespace billow::train::differentiable
