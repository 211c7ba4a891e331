#include "net/infer.h"

#include <algorithm>
#include <type_traits>

#include "net/activate.h"
#include "net/steps.h"

namespace billow {
namespace {

// How large the largest of some numbers is. What is no number, or too large to go on with, becomes 0.
class Largest {
 public:
  F4 take(F4 x) {
    constexpr float kMost = 1e30f;
    const F4 size = abs(x);
    const M4 sound = size <= kMost;
    most_ = larger(most_, select(sound, size, zero()));
    return select(sound, x, zero());
  }
  float value() const { return horizontal_max(most_); }

 private:
  F4 most_ = zero();
};

// z = (d - mean) * scale
Entries center(const float* inputs, const float* mean, const float* scale, uint32_t count, float* z) {
  Largest largest;
  uint32_t i = 0;
  for (; i + kLanes <= count; i += kLanes)
    store(z + i, largest.take((load(inputs + i) - load(mean + i)) * load(scale + i)));
  if (i < count) {
    float last[kLanes] = {};
    for (uint32_t k = i; k < count; ++k) last[k - i] = (inputs[k] - mean[k]) * scale[k];
    store(z + i, largest.take(load(last)));
  }
  return {z, largest.value()};
}

// Rows of a product on their way: whole sums, or numbers that only want a bias.
template <class Number> struct Rows {
  const Number* at;
  float step;           // of whole sums
  const float* scales;  // of whole sums; null: all 1

  BILLOW_ALWAYS_INLINE F4 operator()(uint32_t i) const {
    F4 x = load_whole(at + i);
    if constexpr (std::is_same_v<Number, int32_t>) {
      x *= splat(step);
      if (scales) x *= load(scales + i);
    }
    return x;
  }
};

// to = f(rows + bias), for whole groups of lanes: what is beyond the last is never looked at.
template <class Number, class F>
Entries add_bias(const Rows<Number>& rows, const float* bias, uint32_t count, float* to, F f) {
  Largest largest;
  uint32_t i = 0;
  for (; i + kLanes <= count; i += kLanes) store(to + i, largest.take(f(rows(i) + load(bias + i))));
  if (i < count) {
    float last[kLanes] = {};
    std::copy_n(bias + i, count - i, last);
    store(last, f(rows(i) + load(last)));
    std::fill(last + (count - i), last + kLanes, 0.0f);
    store(to + i, largest.take(load(last)));
  }
  return {to, largest.value()};
}

template <class Number>
Entries activate(ActivationKind activation, const Rows<Number>& rows, const float* bias, uint32_t count,
                 float* to) {
  switch (activation) {
    case ActivationKind::kRelu:
      return add_bias(rows, bias, count, to, [](F4 x) { return relu(x); });
    case ActivationKind::kTanh:
      return add_bias(rows, bias, count, to, [](F4 x) { return tanh(x); });
    case ActivationKind::kGelu:
      break;
  }
  return add_bias(rows, bias, count, to, [](F4 x) { return gelu(x); });
}

// One of those that are worked on together, step by step.
class Inference {
 public:
  Inference() = default;
  Inference(const Mlp& networks, const InferItem& item, const InferRoom& room)
      : n_(&networks), item_(&item), room_(&room), at_(item.which * networks.numbers) {
    values_ = center(item.inputs, n_->mean + at_, n_->scale + at_, n_->inputs, room.inputs);
  }
  void linear() {
    if (n_->linear.rows == 0) return;
    const PackedMatrix m = block(n_->linear);
    multiply_by(m, room_->linear, true);
    const auto keep = [&](const auto& rows) {
      for (uint32_t i = 0; i < n_->outputs; i += kLanes) store(room_->linear + i, rows(i));
    };
    if (m.integers_only()) keep(Rows<int32_t>{room_->sums, step_, m.row_scales});
  }
  uint32_t layers() const { return item_->layers ? n_->layers : 0; }
  void multiply_layer(uint32_t k) {
    multiply_by(block(n_->layer[k]), room_->values, k > 0 || !n_->linear_as_first);
  }
  void finish_layer(uint32_t k) {
    const PackedMatrix m = block(n_->layer[k]);
    const float* bias = n_->bias[k] + at_;
    const auto finish = [&](const auto& rows) {
      return k + 1 == n_->layers ? add_bias(rows, bias, m.rows, room_->values, [](F4 x) { return x; })
                                 : activate(n_->activation, rows, bias, m.rows, room_->values);
    };
    values_ = m.integers_only() ? finish(Rows<int32_t>{room_->sums, step_, m.row_scales})
                                : finish(Rows<float>{room_->values, 1, nullptr});
  }
  void finish() const {
    for (uint32_t i = 0; i < n_->outputs; ++i) {
      float c = n_->linear_bias ? n_->linear_bias[at_ + i] : 0.0f;
      if (layers() > 0) c += room_->values[i];
      if (n_->linear.rows > 0) c += room_->linear[i];
      item_->coefficients[i] = c;
    }
  }

 private:
  PackedMatrix block(const PackedMatrix& all) const {
    return all.block(item_->which * in_panels(all.rows), all.rows);
  }
  // Whole sums to `sums`, or where there are floats all of the product to `out`. `fresh`: steps are not yet those of the values.
  void multiply_by(const PackedMatrix& m, float* out, bool fresh) {
    if (!m.integers_only()) return multiply(m, values_, room_->factors, out);
    if (fresh) step_ = find_factors(m, values_, room_->factors);
    sum_integers(m, room_->factors, room_->sums);
  }

  const Mlp* n_ = nullptr;
  const InferItem* item_ = nullptr;
  const InferRoom* room_ = nullptr;
  size_t at_ = 0;
  Entries values_;
  float step_ = 0;
};

}  // namespace

uint32_t Mlp::widest() const {
  uint32_t most = std::max(inputs, linear.rows);
  for (uint32_t k = 0; k < layers; ++k) most = std::max(most, layer[k].rows);
  return most;
}

uint32_t Mlp::most_stored() const {
  uint32_t most = linear.stored_count();
  for (uint32_t k = 0; k < layers; ++k) most = std::max(most, layer[k].stored_count());
  return most;
}

void infer(const Mlp& n, const InferItem* items, size_t count, const InferRoom* rooms) {
  Inference each[kTogether];
  uint32_t layers = 0;
  for (size_t i = 0; i < count; ++i) each[i] = Inference(n, items[i], rooms[i]);
  for (size_t i = 0; i < count; ++i) each[i].linear(), layers = std::max(layers, each[i].layers());
  for (uint32_t k = 0; k < layers; ++k) {
    for (size_t i = 0; i < count; ++i)
      if (each[i].layers() > 0) each[i].multiply_layer(k);
    for (size_t i = 0; i < count; ++i)
      if (each[i].layers() > 0) each[i].finish_layer(k);
  }
  for (size_t i = 0; i < count; ++i) each[i].finish();
}

}  // namespace billow
