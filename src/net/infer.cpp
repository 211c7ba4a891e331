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

void go_on(Mlp& n, size_t numbers) {
  n.mean += numbers, n.scale += numbers;
  for (uint32_t k = 0; k < n.layers; ++k) {
    n.layer[k].go_on();
    n.bias[k] += numbers;
  }
  n.linear.go_on();
  if (n.linear_bias) n.linear_bias += numbers;
}

void infer(const Mlp& n, const float* inputs, const InferRoom& room, float* coefficients, bool layers) {
  uint32_t next = 0;
  for (; next + kLanes <= n.inputs; next += kLanes)
    store(room.inputs + next, (load(inputs + next) - load(n.mean + next)) * load(n.scale + next));
  for (; next < n.inputs; ++next) room.inputs[next] = (inputs[next] - n.mean[next]) * n.scale[next];
  for (uint32_t i = 0; i < n.outputs; ++i) coefficients[i] = n.linear_bias ? n.linear_bias[i] : 0.0f;
  const Entries z = find_entries(room.inputs, n.inputs);
  Entries from = z;
  float *to = room.before, *other = room.after;
  const uint32_t count = layers ? n.layers : 0;
  for (uint32_t k = 0; k < count; ++k) {
    multiply(n.layer[k], from, room.factors, to);
    if (k + 1 == count) {
      for (uint32_t i = 0; i < n.outputs; ++i) coefficients[i] += to[i] + n.bias[k][i];
      break;
    }
    activate(n.activation, to, n.bias[k], n.layer[k].rows);
    from = find_entries(to, n.layer[k].rows);
    std::swap(to, other);
  }
  if (n.linear.rows == 0) return;
  multiply(n.linear, z, room.factors, to);
  for (uint32_t i = 0; i < n.outputs; ++i) coefficients[i] += to[i];
}

}  // namespace billow
