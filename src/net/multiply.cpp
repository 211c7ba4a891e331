// The product of a packed matrix and a vector.
#include <algorithm>
#include <cmath>

#include "core/wide.h"
#include "net/half.h"
#include "net/integer_sums.h"
#include "net/steps.h"

namespace billow {
namespace {

// One panel's float columns.
void add_floats(const PackedMatrix& m, const std::byte* at, const Factors& f, F4& sum0, F4& sum1) {
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
void finish_panels(const PackedMatrix& m, size_t first, size_t count, const int32_t* whole, float step,
                   const Factors& f, float* out) {
  const bool floats = m.float32 + m.float16 > 0;
  for (size_t panel = first; panel < first + count; ++panel, whole += kPanelRows) {
    const size_t row = panel * kPanelRows;
    F4 sum0 = load_whole(whole) * step, sum1 = load_whole(whole + kLanes) * step;
    if (floats) add_floats(m, m.panels + panel * m.panel_bytes(), f, sum0, sum1);
    if (m.row_scales) sum0 *= load(m.row_scales + row), sum1 *= load(m.row_scales + row + kLanes);
    store(out + row, sum0);
    store(out + row + kLanes, sum1);
  }
}

// As far as `most` panels from one on go.
void sum_panels(const PackedMatrix& m, size_t first, size_t count, const Factors& f, int32_t* sums) {
  // Of small blocks the next one is fetched meanwhile.
  constexpr size_t kMostAhead = 8192;
  const size_t bytes = m.panel_bytes(), integers_at = size_t{kPanelRows} * (4 * m.float32 + 2 * m.float16);
  const size_t ahead = std::min(kMostAhead, m.panel_count() * bytes);
  best_integer_kernel().sums(
      {m.panels + first * bytes + integers_at, bytes, static_cast<uint32_t>(count), m.int8, ahead}, f, sums);
}

}  // namespace

void find_shortcuts(PackedMatrix& m) {
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

Entries find_entries(float* vector, uint32_t count) {
  F4 largest = zero();
  for (uint32_t j = 0; j < count; j += kLanes) largest = larger_or_nan(largest, abs(load(vector + j)));
  return sound_entries(vector, count, horizontal_max_or_nan(largest));
}

Entries sound_entries(float* vector, uint32_t count, float largest) {
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

float find_factors(const PackedMatrix& m, const Entries& vector, const Factors& f) {
  const float step = find_step(m, vector.largest, m.int8);
  put_factors(m, vector.at, step, f);
  return step;
}

float find_step(const PackedMatrix& m, float largest, uint64_t products) {
  // The largest fits 16 bits, and no sum of entries of up to 128 reaches 2^31.
  constexpr float kMostSteps = 127 * 256, kMostSum = 2147483648.0f / 128 / 1.001f;
  const auto count = static_cast<float>(products);
  return largest * m.largest_scale / (count * kMostSteps < kMostSum ? kMostSteps : kMostSum / count);
}

void put_factors(const PackedMatrix& m, const float* at, float step, const Factors& f) {
  const uint32_t floats = m.float32 + m.float16, integers = m.int8;
  for (uint32_t j = 0; j < floats; ++j) f.scaled[j] = m.scales[j] * at[m.sources[j]];
  // Steps so small that one over them is no number are none.
  const float inverse = step > 1e-36f ? 1.0f / step : 0.0f;
  // In variables of their own, as a compiler cannot know that writing steps does not change them.
  const uint32_t* sources = m.sources + floats;
  const float* scales = m.scales + floats;
  // Whole eights in order, and the rest one by one.
  const uint32_t in_order = m.in_order / 8 * 8;
  put_steps(
      0, in_order, inverse, scales, [&](uint32_t j) { return load(at + sources[j]); }, f);
  put_steps(
      in_order, integers, inverse, scales,
      [&](uint32_t j) {
        const float entries[kLanes] = {at[sources[j]], at[sources[j + 1]], at[sources[j + 2]],
                                       at[sources[j + 3]]};
        return load(entries);
      },
      f);
}

void sum_integers(const PackedMatrix& m, const Factors& room, int32_t* sums) {
  sum_panels(m, 0, m.panel_count(), room, sums);
}

void multiply(const PackedMatrix& m, const Entries& vector, const Factors& room, float* out) {
  multiply(m, find_factors(m, vector, room), room, out);
}

void multiply(const PackedMatrix& m, float step, const Factors& factors, float* out) {
  constexpr size_t kAtOnce = 64;
  const size_t panels = m.panel_count();
  for (size_t p = 0; p < panels; p += kAtOnce) {
    const size_t count = std::min(kAtOnce, panels - p);
    int32_t sums[kAtOnce * kPanelRows];
    sum_panels(m, p, count, factors, sums);
    finish_panels(m, p, count, sums, step, factors, out);
  }
}

}  // namespace billow
