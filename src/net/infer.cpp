#include "net/infer.h"

#include <algorithm>

#include "net/activate.h"
#include "net/integer_sums.h"

namespace billow {
namespace {

// z = (d - mean) * scale, with its range.
RangedVector normalise(const float* inputs, const float* mean, const float* scale, uint32_t count, float* z) {
  F4 max_abs[2] = {zero(), zero()};  // two dependency chains
  const auto put = [&](F4 x, uint32_t i, int accumulator) {
    max_abs[accumulator] = max_or_nan(max_abs[accumulator], abs(x));
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
  return with_range(z, count, horizontal_max_or_nan(max_or_nan(max_abs[0], max_abs[1])));
}

// One item of a batch.
struct BatchItem {
  const InferItem* item = nullptr;
  const InferScratch* scratch = nullptr;
  size_t vector_offset = 0;
  RangedVector values;
  float q_scale = 0;

  BatchItem() = default;
  BatchItem(const Mlp& n, const InferItem& i, const InferScratch& s)
      : item(&i), scratch(&s), vector_offset(i.network * n.vector_stride) {
    values = normalise(i.inputs, n.mean + vector_offset, n.scale + vector_offset, n.inputs, s.inputs);
  }
  void quantise_input(const PackedMatrix& m) { q_scale = quantise(m, values, scratch->quantised); }
  // Evaluates one int8 layer. Returns the largest absolute value of its outputs.
  float run(const IntegerKernel& kernel, const PackedMatrix& m, LayerFunction function, const float* bias,
            float* out) const {
    // If this network's block of the matrix is small, prefetch the block of the next network.
    constexpr size_t kMaxPrefetch = 8192;
    const size_t stride = size_t{kPanelRows} * m.int8, block = m.rows / kPanelRows * stride;
    const PanelRun panels{m.panels + item->network * block, stride, m.rows / kPanelRows, m.int8,
                          std::min(kMaxPrefetch, block)};
    return kernel.layers[function](
        panels, scratch->quantised,
        {q_scale, m.row_scales + item->network * m.rows, bias + vector_offset, out});
  }
};

// Evaluates layer by layer, each for all items, so that their latencies overlap.
void infer_batch(const Mlp& n, const InferItem* items, size_t count, const InferScratch* scratches) {
  const IntegerKernel& kernel = best_integer_kernel();
  BatchItem all[kInferBatch];
  for (size_t i = 0; i < count; ++i) all[i] = BatchItem(n, items[i], scratches[i]);
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
      const float max_abs = all[i].run(kernel, m, last ? kBiasOnly : static_cast<LayerFunction>(n.activation),
                                       n.bias[k], scratches[i].values);
      all[i].values = with_range(scratches[i].values, m.rows, max_abs);
    }
  }
  for (size_t i = 0; i < count; ++i)
    for (uint32_t k = 0; k < n.outputs; k += kLanes) {
      F4 c = load(n.linear_bias + all[i].vector_offset + k);
      if (items[i].layers && n.layers > 0) c += load(scratches[i].values + k);
      if (n.linear.rows > 0) c += load(scratches[i].linear + k);
      store(items[i].coefficients + k, c);
    }
}

// to = f(to + bias) in groups of lanes; padding up to a whole panel becomes 0.
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

// One inference with matrices of any storage.
void infer_any(const Mlp& n, const InferItem& item, const InferScratch& scratch) {
  const size_t at = item.network * n.vector_stride;
  const auto block = [&](const PackedMatrix& m) {
    return m.block(item.network * round_up_to_panels(m.rows), m.rows);
  };
  RangedVector values = normalise(item.inputs, n.mean + at, n.scale + at, n.inputs, scratch.inputs);
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
  const auto fills_panels = [](const PackedMatrix& m) {
    return m.integers_only() && m.row_scales && m.rows % kPanelRows == 0;
  };
  // Only networks of patches have biases that are padded to whole panels.
  n.whole_panels = n.linear_bias && (n.linear.rows == 0 || fills_panels(n.linear));
  for (uint32_t k = 0; k < n.layers; ++k) n.whole_panels = n.whole_panels && fills_panels(n.layer[k]);
}

uint32_t Mlp::widest() const {
  uint32_t width = std::max(inputs, linear.rows);
  for (uint32_t k = 0; k < layers; ++k) width = std::max(width, layer[k].rows);
  return width;
}

uint32_t Mlp::max_stored_columns() const {
  uint32_t columns = linear.stored_count();
  for (uint32_t k = 0; k < layers; ++k) columns = std::max(columns, layer[k].stored_count());
  return columns;
}

void infer(const Mlp& n, const InferItem* items, size_t count, const InferScratch* scratches) {
  if (n.whole_panels) return infer_batch(n, items, count, scratches);
  for (size_t i = 0; i < count; ++i) infer_any(n, items[i], scratches[i]);
}

}  // namespace billow
