// The product of a packed matrix and a vector.
#include <algorithm>
#include <cmath>

#include "core/wide.h"
#include "net/half.h"
#include "net/integer_sums.h"
#include "net/quantise.h"

namespace billow {
namespace {

// One panel's float columns.
void add_floats(const PackedMatrix& m, const std::byte* at, const QuantisedVector& f, F4& sum0, F4& sum1) {
  for (uint32_t k = 0; k < m.float32; ++k, at += 4 * kPanelRows) {
    const auto* values = reinterpret_cast<const float*>(at);
    const F4 x = splat(f.scaled[k]);
    sum0 += load(values) * x;
    sum1 += load(values + kLanes) * x;
  }
  for (uint32_t k = 0; k < m.float16; ++k, at += 2 * kPanelRows) {
    const auto* values = reinterpret_cast<const uint16_t*>(at);
    const F4 x = splat(f.scaled[m.float32 + k]);
    sum0 += load_half(values) * x;
    sum1 += load_half(values + kLanes) * x;
  }
}

// The rows of some panels, from the sums of their integers, and their floats if there are any.
void finish_panels(const PackedMatrix& m, size_t first, size_t count, const int32_t* whole, float q_scale,
                   const QuantisedVector& f, float* out) {
  const bool floats = m.float32 + m.float16 > 0;
  for (size_t panel = first; panel < first + count; ++panel, whole += kPanelRows) {
    const size_t row = panel * kPanelRows;
    F4 sum0 = load_as_floats(whole) * q_scale, sum1 = load_as_floats(whole + kLanes) * q_scale;
    if (floats) add_floats(m, m.panels + panel * m.panel_bytes(), f, sum0, sum1);
    if (m.row_scales) sum0 *= load(m.row_scales + row), sum1 *= load(m.row_scales + row + kLanes);
    store(out + row, sum0);
    store(out + row + kLanes, sum1);
  }
}

// As far as `most` panels from one on go.
void sum_panels(const PackedMatrix& m, size_t first, size_t count, const QuantisedVector& f, int32_t* sums) {
  // Of small blocks the next one is fetched meanwhile.
  constexpr size_t kMaxAhead = 8192;
  const size_t bytes = m.panel_bytes(), integers_at = size_t{kPanelRows} * (4 * m.float32 + 2 * m.float16);
  const size_t ahead = std::min(kMaxAhead, m.panel_count() * bytes);
  best_integer_kernel().sums(
      {m.panels + first * bytes + integers_at, bytes, static_cast<uint32_t>(count), m.int8, ahead}, f, sums);
}

}  // namespace

void precompute(PackedMatrix& m) {
  const uint32_t first = m.float32 + m.float16;
  const auto neighbours = [&](uint32_t j) {
    for (uint32_t k = 1; k < kLanes; ++k)
      // What only fills up an eight counts as anything.
      if (m.scales[j + k] != 0 && m.sources[j + k] != m.sources[j] + k) return false;
    return true;
  };
  uint32_t j = first;
  while (j < m.stored_count() && neighbours(j)) j += kLanes;
  m.in_order = j - first;
  m.largest_scale = 0;
  for (j = first; j < m.stored_count(); ++j)
    m.largest_scale = std::max(m.largest_scale, std::fabs(m.scales[j]));
}

bool same_columns(const PackedMatrix& a, const PackedMatrix& b) {
  const uint32_t count = a.stored_count();
  return a.float32 == b.float32 && a.float16 == b.float16 && a.int8 == b.int8 &&
         std::equal(a.sources, a.sources + count, b.sources) &&
         std::equal(a.scales, a.scales + count, b.scales);
}

RangedVector find_range(float* vector, uint32_t count) {
  F4 largest = zero();
  for (uint32_t j = 0; j < count; j += kLanes) largest = larger_or_nan(largest, abs(load(vector + j)));
  return with_range(vector, count, horizontal_max_or_nan(largest));
}

RangedVector with_range(float* vector, uint32_t count, float largest) {
  constexpr float kMost = 1e30f;
  if (largest <= kMost) return {vector, largest};
  largest = 0;
  const uint32_t end = (count + kLanes - 1) / kLanes * kLanes;
  for (uint32_t j = 0; j < end; ++j) {
    if (!(std::fabs(vector[j]) <= kMost)) vector[j] = 0;
    largest = std::max(largest, std::fabs(vector[j]));
  }
  return {vector, largest};
}

float quantise(const PackedMatrix& m, const RangedVector& vector, const QuantisedVector& f) {
  const float q_scale = quantisation_scale(m, vector.largest, m.int8);
  quantise_with(m, vector.at, q_scale, f);
  return q_scale;
}

float quantisation_scale(const PackedMatrix& m, float largest, uint64_t products) {
  // The largest fits 16 bits, and no sum of entries of up to 128 reaches 2^31.
  constexpr float kMaxSteps = 127 * 256, kMaxSum = 2147483648.0f / 128 / 1.001f;
  const auto count = static_cast<float>(products);
  return largest * m.largest_scale / (count * kMaxSteps < kMaxSum ? kMaxSteps : kMaxSum / count);
}

void quantise_with(const PackedMatrix& m, const float* at, float q_scale, const QuantisedVector& f) {
  const uint32_t floats = m.float32 + m.float16, integers = m.int8;
  for (uint32_t j = 0; j < floats; ++j) f.scaled[j] = m.scales[j] * at[m.sources[j]];
  // Steps so small that one over them is no number are none.
  const float inverse = q_scale > 1e-36f ? 1.0f / q_scale : 0.0f;
  // In variables of their own, as a compiler cannot know that writing steps does not change them.
  const uint32_t* sources = m.sources + floats;
  const float* scales = m.scales + floats;
  // Whole eights in order, and the rest one by one.
  const uint32_t in_order = m.in_order / 8 * 8;
  quantise_range(
      0, in_order, inverse, scales, [&](uint32_t j) { return load(at + sources[j]); }, f);
  quantise_range(
      in_order, integers, inverse, scales,
      [&](uint32_t j) {
        const float entries[kLanes] = {at[sources[j]], at[sources[j + 1]], at[sources[j + 2]],
                                       at[sources[j + 3]]};
        return load(entries);
      },
      f);
}

void sum_integers(const PackedMatrix& m, const QuantisedVector& scratch, int32_t* sums) {
  sum_panels(m, 0, m.panel_count(), scratch, sums);
}

void multiply(const PackedMatrix& m, const RangedVector& vector, const QuantisedVector& scratch, float* out) {
  multiply(m, quantise(m, vector, scratch), scratch, out);
}

void multiply(const PackedMatrix& m, float q_scale, const QuantisedVector& quantised, float* out) {
  constexpr size_t kAtOnce = 64;
  const size_t panels = m.panel_count();
  for (size_t p = 0; p < panels; p += kAtOnce) {
    const size_t count = std::min(kAtOnce, panels - p);
    int32_t sums[kAtOnce * kPanelRows];
    sum_panels(m, p, count, quantised, sums);
    finish_panels(m, p, count, sums, q_scale, quantised, out);
  }
}

}  // namespace billow
