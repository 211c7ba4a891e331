#include "net/infer.h"

#include <algorithm>

#include "net/activate.h"

namespace billow {
namespace {

// values = f(values + bias), for whole groups of lanes: what is beyond the last is never looked at.
template <class F> void add_bias(float* values, const float* bias, uint32_t count, F f) {
  uint32_t i = 0;
  for (; i + kLanes <= count; i += kLanes) store(values + i, f(load(values + i) + load(bias + i)));
  if (i == count) return;
  float last[kLanes] = {};
  std::copy_n(bias + i, count - i, last);
  store(values + i, f(load(values + i) + load(last)));
}

void activate(ActivationKind activation, float* values, const float* bias, uint32_t count) {
  switch (activation) {
    case ActivationKind::kRelu:
      return add_bias(values, bias, count, [](F4 x) { return relu(x); });
    case ActivationKind::kTanh:
      return add_bias(values, bias, count, [](F4 x) { return tanh(x); });
    case ActivationKind::kGelu:
      return add_bias(values, bias, count, [](F4 x) { return gelu(x); });
  }
}

// z = (d - mean) * scale
void center(const float* inputs, const float* mean, const float* scale, uint32_t count, float* z) {
  uint32_t i = 0;
  for (; i + kLanes <= count; i += kLanes)
    store(z + i, (load(inputs + i) - load(mean + i)) * load(scale + i));
  for (; i < count; ++i) z[i] = (inputs[i] - mean[i]) * scale[i];
}

}  // namespace

uint32_t Mlp::widest() const {
  uint32_t most = inputs;
  for (uint32_t k = 0; k < layers; ++k) most = std::max(most, layer[k].rows);
  return most;
}

uint32_t Mlp::most_stored() const {
  uint32_t most = linear.stored_count();
  for (uint32_t k = 0; k < layers; ++k) most = std::max(most, layer[k].stored_count());
  return most;
}

void infer(const Mlp& n, size_t which, const float* inputs, const InferRoom& room, float* coefficients,
           bool layers) {
  const size_t at = which * n.numbers;
  const auto product = [&](const PackedMatrix& all, const Entries& from, float* to) {
    multiply(all.block(which * in_panels(all.rows), all.rows), from, room.factors, to);
  };
  center(inputs, n.mean + at, n.scale + at, n.inputs, room.inputs);
  const Entries z = find_entries(room.inputs, n.inputs);
  for (uint32_t i = 0; i < n.outputs; ++i) coefficients[i] = n.linear_bias ? n.linear_bias[at + i] : 0.0f;
  Entries from = z;
  float *to = room.before, *other = room.after;
  for (uint32_t k = 0; layers && k < n.layers; ++k) {
    product(n.layer[k], from, to);
    const float* bias = n.bias[k] + at;
    if (k + 1 == n.layers) {
      for (uint32_t i = 0; i < n.outputs; ++i) coefficients[i] += to[i] + bias[i];
      break;
    }
    activate(n.activation, to, bias, n.layer[k].rows);
    from = find_entries(to, n.layer[k].rows);
    std::swap(to, other);
  }
  if (n.linear.rows == 0) return;
  product(n.linear, z, to);
  for (uint32_t i = 0; i < n.outputs; ++i) coefficients[i] += to[i];
}

}  // namespace billow
