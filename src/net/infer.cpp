#include "net/infer.h"

#include <algorithm>

#include "net/activate.h"
#include "net/integer_sums.h"

namespace billow {
namespace {

// z = (d - mean) * scale
RangedVector center(const float* inputs, const float* mean, const float* scale, uint32_t count, float* z) {
  F4 largest[2] = {zero(), zero()};
  const auto put = [&](F4 x, uint32_t i, int which) {
    largest[which] = larger_or_nan(largest[which], abs(x));
    store(z + i, x);
  };
  const auto at = [&](uint32_t i) { return (load(inputs + i) - load(mean + i)) * load(scale + i); };
  uint32_t i = 0;
  for (; i + 2 * kLanes <= count; i += 2 * kLanes) put(at(i), i, 0), put(at(i + kLanes), i + kLanes, 1);
  for (; i + kLanes <= count; i += kLanes) put(at(i), i, 0);
  if (i < count) {
    float last[kLanes] = {};
    for (uint32_t k = i; k < count; ++k) last[k - i] = (inputs[k] - mean[k]) * scale[k];
    put(load(last), i, 1);
  }
  return with_range(z, count, horizontal_max_or_nan(larger_or_nan(largest[0], largest[1])));
}

// One of those that are worked on together, step by step.
struct Asked {
  const InferItem* item = nullptr;
  const InferScratch* scratch = nullptr;
  size_t numbers_at = 0;
  RangedVector values;
  float q_scale = 0;

  Asked() = default;
  Asked(const Mlp& n, const InferItem& i, const InferScratch& r)
      : item(&i), scratch(&r), numbers_at(i.which * n.numbers) {
    values = center(i.inputs, n.mean + numbers_at, n.scale + numbers_at, n.inputs, r.inputs);
  }
  void quantise_input(const PackedMatrix& m) { q_scale = quantise(m, values, scratch->quantised); }
  // One layer of integers; returns how large its largest row is.
  float run(const IntegerKernel& kernel, const PackedMatrix& m, LayerFunction function, const float* bias,
            float* out) const {
    // Of small blocks the next one is fetched meanwhile.
    constexpr size_t kMaxAhead = 8192;
    const size_t stride = size_t{kPanelRows} * m.int8, block = m.rows / kPanelRows * stride;
    const PanelRun panels{m.panels + item->which * block, stride, m.rows / kPanelRows, m.int8,
                          std::min(kMaxAhead, block)};
    return kernel.layers[function](panels, scratch->quantised,
                                   {q_scale, m.row_scales + item->which * m.rows, bias + numbers_at, out});
  }
};

// While one waits for what it was just about to know, another works.
void infer_batch(const Mlp& n, const InferItem* items, size_t count, const InferScratch* scratches) {
  const IntegerKernel& kernel = best_integer_kernel();
  Asked all[kInferBatch];
  for (size_t i = 0; i < count; ++i) all[i] = Asked(n, items[i], scratches[i]);
  if (n.linear.rows > 0) {
    for (size_t i = 0; i < count; ++i) all[i].quantise_input(n.linear);
    for (size_t i = 0; i < count; ++i)
      all[i].run(kernel, n.linear, kScaleOnly, n.linear_bias, scratches[i].linear);
  }
  for (uint32_t k = 0; k < n.layers; ++k) {
    const PackedMatrix& m = n.layer[k];
    const bool last = k + 1 == n.layers;
    for (size_t i = 0; i < count && (k > 0 || !n.linear_as_first); ++i)
      if (items[i].layers) all[i].quantise_input(m);
    for (size_t i = 0; i < count; ++i) {
      if (!items[i].layers) continue;
      const float largest = all[i].run(kernel, m, last ? kBiasOnly : static_cast<LayerFunction>(n.activation),
                                       n.bias[k], scratches[i].values);
      all[i].values = with_range(scratches[i].values, m.rows, largest);
    }
  }
  for (size_t i = 0; i < count; ++i)
    for (uint32_t k = 0; k < n.outputs; k += kLanes) {
      F4 c = load(n.linear_bias + all[i].numbers_at + k);
      if (items[i].layers && n.layers > 0) c += load(scratches[i].values + k);
      if (n.linear.rows > 0) c += load(scratches[i].linear + k);
      store(items[i].coefficients + k, c);
    }
}

// to = f(to + bias), for whole groups of lanes: what is beyond the last is never looked at.
template <class F> RangedVector add_bias(const float* bias, uint32_t count, float* to, F f) {
  for (uint32_t i = 0; i < count; i += kLanes) {
    float by[kLanes] = {};
    std::copy_n(bias + i, std::min<uint32_t>(kLanes, count - i), by);
    store(to + i, f(load(to + i) + load(by)));
  }
  std::fill(to + count, to + round_up_to_panels(count), 0.0f);
  return find_range(to, count);
}

RangedVector activate(ActivationKind activation, const float* bias, uint32_t count, float* to) {
  switch (activation) {
    case ActivationKind::kRelu:
      return add_bias(bias, count, to, [](F4 x) { return relu(x); });
    case ActivationKind::kTanh:
      return add_bias(bias, count, to, [](F4 x) { return tanh(x); });
    case ActivationKind::kGelu:
      break;
  }
  return add_bias(bias, count, to, [](F4 x) { return gelu(x); });
}

// However its matrices are stored.
void infer_any(const Mlp& n, const InferItem& item, const InferScratch& scratch) {
  const size_t at = item.which * n.numbers;
  const auto block = [&](const PackedMatrix& m) {
    return m.block(item.which * round_up_to_panels(m.rows), m.rows);
  };
  RangedVector values = center(item.inputs, n.mean + at, n.scale + at, n.inputs, scratch.inputs);
  if (n.linear.rows > 0) multiply(block(n.linear), values, scratch.quantised, scratch.linear);
  const uint32_t layers = item.layers ? n.layers : 0;
  for (uint32_t k = 0; k < layers; ++k) {
    const PackedMatrix m = block(n.layer[k]);
    const float* bias = n.bias[k] + at;
    multiply(m, values, scratch.quantised, scratch.values);
    values = k + 1 == layers ? add_bias(bias, m.rows, scratch.values, [](F4 x) { return x; })
                             : activate(n.activation, bias, m.rows, scratch.values);
  }
  for (uint32_t i = 0; i < n.outputs; ++i) {
    float c = n.linear_bias ? n.linear_bias[at + i] : 0.0f;
    if (layers > 0) c += scratch.values[i];
    if (n.linear.rows > 0) c += scratch.linear[i];
    item.coefficients[i] = c;
  }
}

}  // namespace

void precompute(Mlp& n) {
  n.linear_as_first = n.linear.rows > 0 && n.layers > 0 && same_columns(n.linear, n.layer[0]);
  const auto whole = [](const PackedMatrix& m) {
    return m.integers_only() && m.row_scales && m.rows % kPanelRows == 0;
  };
  // Only networks of patches have biases with room for whole panels.
  n.whole_panels = n.linear_bias && (n.linear.rows == 0 || whole(n.linear));
  for (uint32_t k = 0; k < n.layers; ++k) n.whole_panels = n.whole_panels && whole(n.layer[k]);
}

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

void infer(const Mlp& n, const InferItem* items, size_t count, const InferScratch* scratches) {
  if (n.whole_panels) return infer_batch(n, items, count, scratches);
  for (size_t i = 0; i < count; ++i) infer_any(n, items[i], scratches[i]);
}

}  // namespace billow
