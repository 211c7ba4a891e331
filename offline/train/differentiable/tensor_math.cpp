#include "train/differentiable/tensor_math.h"

namespace billow::train::differentiable {

Tensor rotate(const Tensor& rotation, const Tensor& v) {
  const Tensor u = rotation.narrow(-1, 0, 3), w = rotation.narrow(-1, 3, 1);
  const Tensor twice = 2 * cross3(u, v);
  return v + w * twice + cross3(u, twice);
}

Tensor matrix_of(const Tensor& rotation) {
  const Tensor unit = torch::eye(3, rotation.options());
  // Columns are the turned axes.
  return rotate(rotation.unsqueeze(-2), unit).transpose(-1, -2);
}

Tensor blend(const Tensor& from, const Tensor& to, const Tensor& share) {
  const Tensor p = rotation_of(from), q = rotation_of(to);
  const Tensor sign = torch::where(dot3(p, q) < 0, -1.0, 1.0).to(p.dtype());
  const Tensor r = p * (1 - share) + q * sign * share;
  return torch::cat({position_of(from) * (1 - share) + position_of(to) * share, r / length3(r)}, -1);
}

}  // namespace billow::train::differentiable
