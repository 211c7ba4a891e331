// The product of a packed matrix and a vector: see matrix.h.
#include <algorithm>
#include <cmath>

#include "core/wide.h"
#include "net/half.h"
#include "net/integer_sums.h"
#include "net/quantise.h"

namespace billow {
namespace {

// Adds the float columns of one panel.
void add_floats(const PackedMatrix& m, const std::byte* at, const QuantisedVector& quantised, F4& sum0,
                F4& sum1) {
  for (uint32_t k = 0; k < m.float32; ++k, at += 4 * kPanelRows) {
    const auto* values = reinterpret_cast<const float*>(at);
    const F4 x = splat(quantised.scaled[k]);
    sum0 += load(values) * x;
    sum1 += load(values + kLanes) * x;
  }
  for (uint32_t k = 0; k < m.float16; ++k, at += 2 * kPanelRows) {
    const auto* values = reinterpret_cast<const uint16_t*>(at);
    const F4 x = splat(quantised.scaled[m.float32 + k]);
    sum0 += load_half(values) * x;
    sum1 += load_half(values + kLanes) * x;
  }
}

// Rows of `count` panels: dequantised integer sums, plus the float columns if there are any.
void finish_panels(const PackedMatrix& m, size_t first, size_t count, const int32_t* sums, float q_scale,
                   const QuantisedVector& quantised, float* out) {
  const bool floats = m.float32 + m.float16 > 0;
  for (size_t panel = first; panel < first + count; ++panel, sums += kPanelRows) {
    const size_t row = panel * kPanelRows;
    F4 sum0 = load_as_floats(sums) * q_scale, sum1 = load_as_floats(sums + kLanes) * q_scale;
    if (floats) add_floats(m, m.panels + panel * m.panel_bytes(), quantised, sum0, sum1);
    if (m.row_scales) sum0 *= load(m.row_scales + row), sum1 *= load(m.row_scales + row + kLanes);
    store(out + row, sum0);
    store(out + row + kLanes, sum1);
  }
}

// Integer sums of `count` panels.
void sum_panels(const PackedMatrix& m, size_t first, size_t count, const QuantisedVector& quantised,
                int32_t* sums) {
  // If the matrix is a small block of a larger one, prefetch the next block.
  constexpr size_t kMaxPrefetch = 8192;
  const size_t bytes = m.panel_bytes(), integers_at = size_t{kPanelRows} * (4 * m.float32 + 2 * m.float16);
  const size_t prefetch = std::min(kMaxPrefetch, m.panel_count() * bytes);
  best_integer_kernel().sums(
      {m.panels + first * bytes + integers_at, bytes, static_cast<uint32_t>(count), m.int8, prefetch},
      quantised, sums);
}

}  // namespace

void precompute(PackedMatrix& m) {
  const uint32_t first = m.float32 + m.float16;
  const auto contiguous = [&](uint32_t j) {
    for (uint32_t k = 1; k < kLanes; ++k)
      // Padding columns have scale 0, so their source does not matter.
      if (m.scales[j + k] != 0 && m.sources[j + k] != m.sources[j] + k) return false;
    return true;
  };
  uint32_t j = first;
  while (j < m.stored_count() && contiguous(j)) j += kLanes;
  m.contiguous = j - first;
  m.max_scale = 0;
  for (j = first; j < m.stored_count(); ++j) m.max_scale = std::max(m.max_scale, std::fabs(m.scales[j]));
}

bool same_columns(const PackedMatrix& a, const PackedMatrix& b) {
  const uint32_t count = a.stored_count();
  return a.float32 == b.float32 && a.float16 == b.float16 && a.int8 == b.int8 &&
         std::equal(a.sources, a.sources + count, b.sources) &&
         std::equal(a.scales, a.scales + count, b.scales);
}

RangedVector find_range(float* vector, uint32_t count) {
  F4 max_abs = zero();
  for (uint32_t j = 0; j < count; j += kLanes) max_abs = max_or_nan(max_abs, abs(load(vector + j)));
  return with_range(vector, count, horizontal_max_or_nan(max_abs));
}

RangedVector with_range(float* vector, uint32_t count, float max_abs) {
  constexpr float kLimit = 1e30f;
  if (max_abs <= kLimit) return {vector, max_abs};
  max_abs = 0;
  const uint32_t end = (count + kLanes - 1) / kLanes * kLanes;
  for (uint32_t j = 0; j < end; ++j) {
    if (!(std::fabs(vector[j]) <= kLimit)) vector[j] = 0;
    max_abs = std::max(max_abs, std::fabs(vector[j]));
  }
  return {vector, max_abs};
}

float quantise(const PackedMatrix& m, const RangedVector& vector, const QuantisedVector& quantised) {
  const float q_scale = quantisation_scale(m, vector.max_abs, m.int8);
  quantise_with(m, vector.values, q_scale, quantised);
  return q_scale;
}

float quantisation_scale(const PackedMatrix& m, float max_abs, uint64_t products) {
  // The largest activation fits in int16 and its rounded high byte in int8, and no sum of activations times
  // weights of up to 128 reaches 2^31.
  constexpr float kMaxQ16 = 127 * 256, kMaxSum = 2147483648.0f / 128 / 1.001f;
  const auto count = static_cast<float>(products);
  return max_abs * m.max_scale / (count * kMaxQ16 < kMaxSum ? kMaxQ16 : kMaxSum / count);
}

void quantise_with(const PackedMatrix& m, const float* vector, float q_scale,
                   const QuantisedVector& quantised) {
  const uint32_t floats = m.float32 + m.float16, integers = m.int8;
  for (uint32_t j = 0; j < floats; ++j) quantised.scaled[j] = m.scales[j] * vector[m.sources[j]];
  // A scale whose inverse would not be finite quantises everything to 0.
  const float inverse = q_scale > 1e-36f ? 1.0f / q_scale : 0.0f;
  // Local copies, because the compiler has to assume that stores to q16 alias the pointers.
  const uint32_t* sources = m.sources + floats;
  const float* scales = m.scales + floats;
  // Load contiguous entries, in whole groups of eight; gather the rest.
  const uint32_t contiguous = m.contiguous / 8 * 8;
  quantise_range(
      0, contiguous, inverse, scales, [&](uint32_t j) { return load(vector + sources[j]); }, quantised);
  quantise_range(
      contiguous, integers, inverse, scales,
      [&](uint32_t j) {
        const float entries[kLanes] = {vector[sources[j]], vector[sources[j + 1]], vector[sources[j + 2]],
                                       vector[sources[j + 3]]};
        return load(entries);
      },
      quantised);
}

void sum_integers(const PackedMatrix& m, const QuantisedVector& scratch, int32_t* sums) {
  sum_panels(m, 0, m.panel_count(), scratch, sums);
}

void multiply(const PackedMatrix& m, const RangedVector& vector, const QuantisedVector& scratch, float* out) {
  multiply(m, quantise(m, vector, scratch), scratch, out);
}

void multiply(const PackedMatrix& m, float q_scale, const QuantisedVector& quantised, float* out) {
  constexpr size_t kPanelsAtOnce = 64;
  const size_t panels = m.panel_count();
  for (size_t p = 0; p < panels; p += kPanelsAtOnce) {
    const size_t count = std::min(kPanelsAtOnce, panels - p);
    int32_t sums[kPanelsAtOnce * kPanelRows];
    sum_panels(m, p, count, quantised, sums);
    finish_panels(m, p, count, sums, q_scale, quantised, out);
  }
}

}  // namespace billow
