// The product of a packed matrix and a vector: four runs of panels at a time, from four quarters of the rows.
#include <algorithm>
#include <cmath>

#include "core/simd.h"
#include "net/half.h"
#include "net/integer_sums.h"
#include "net/steps.h"

namespace billow {
namespace {

constexpr float kMostEntry = 1e30f;

// Four entries of the vector, by the scales of their stored columns. Returns how large they are.
template <bool kNeighbours>
BILLOW_ALWAYS_INLINE F4 scale_four(const float* vector, const uint32_t* sources, const float* scales,
                                   float* scaled) {
  F4 entries;
  if constexpr (kNeighbours) {
    entries = load(vector + sources[0]);
  } else {
    const float each[kLanes] = {vector[sources[0]], vector[sources[1]], vector[sources[2]],
                                vector[sources[3]]};
    entries = load(each);
  }
  const F4 x = entries * load(scales), size = abs(x);
  const M4 sound = size <= splat(kMostEntry);
  store(scaled, select(sound, x, zero()));
  return select(sound, size, zero());
}

// Scales the entries for `count` stored columns of integers, which stand in fours. Returns the step that they are to be put
// in.
template <bool kNeighbours>
float scale_entries(const float* vector, const uint32_t* sources, const float* scales, uint32_t count,
                    float* scaled) {
  // Two at a time, because each waits for the one before.
  F4 largest = zero(), sums = zero(), others = zero(), other_sums = zero();
  uint32_t j = 0;
  for (; j + 2 * kLanes <= count; j += 2 * kLanes) {
    const F4 a = scale_four<kNeighbours>(vector, sources + j, scales + j, scaled + j),
             b = scale_four<kNeighbours>(vector, sources + j + kLanes, scales + j + kLanes,
                                         scaled + j + kLanes);
    largest = max(largest, a), others = max(others, b);
    sums += a, other_sums += b;
  }
  if (j < count) {
    const F4 a = scale_four<kNeighbours>(vector, sources + j, scales + j, scaled + j);
    largest = max(largest, a);
    sums += a;
  }
  sums += other_sums;
  float sum[kLanes];
  store(sum, sums);
  // The largest fits 16 bits, and no sum of entries of up to 128 reaches 2^31.
  constexpr float kMostSteps = 127 * 256;
  const float by_largest = horizontal_max(max(largest, others)) / kMostSteps;
  const float by_sum = (sum[0] + sum[1] + sum[2] + sum[3]) * (1.001f * 128 / 2147483648.0f);
  return by_largest > by_sum ? by_largest : by_sum;
}

// Scales the vector's entries, and puts those for integers in steps. Returns the step.
float find_factors(const PackedMatrix& m, const float* vector, const Factors& f) {
  const uint32_t floats = m.float32 + m.float16, integers = m.int8 + m.int4;
  for (uint32_t j = 0; j < floats; ++j) {
    const float x = m.scales[j] * vector[m.sources[j]];
    f.scaled[j] = std::fabs(x) <= kMostEntry ? x : 0.0f;
  }
  // Integers stand in fours.
  const auto scale = m.neighbours ? scale_entries<true> : scale_entries<false>;
  const float step = scale(vector, m.sources + floats, m.scales + floats, integers, f.scaled + floats);
  // Steps so small that one over them is no number are none.
  put_steps(f.scaled + floats, integers, step > 1e-36f ? 1.0f / step : 0.0f, f);
  return step;
}

const IntegerSums integer_sums = best_integer_sums();

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

// Rows of panels that stand together, from the sums of their integers.
void finish_panels(const PackedMatrix& m, size_t first, size_t count, const int32_t* whole, float step,
                   float* out) {
  out += first * kPanelRows;
  const float* scales = m.row_scales ? m.row_scales + first * kPanelRows : nullptr;
  for (size_t i = 0; i < count * kPanelRows; i += kLanes) {
    const F4 sum = load_whole(whole + i) * step;
    store(out + i, scales ? load(scales + i) * sum : sum);
  }
}

// The same where there are floats besides.
void finish_panels(const PackedMatrix& m, size_t first, size_t count, const int32_t* whole, float step,
                   const Factors& f, float* out) {
  for (size_t p = first; p < first + count; ++p, whole += kPanelRows) {
    F4 sum0 = zero(), sum1 = zero();
    add_floats(m, m.panels + p * m.panel_bytes(), f, sum0, sum1);
    sum0 += load_whole(whole) * step;
    sum1 += load_whole(whole + kLanes) * step;
    const size_t row = p * kPanelRows;
    store(out + row, m.row_scales ? load(m.row_scales + row) * sum0 : sum0);
    store(out + row + kLanes, m.row_scales ? load(m.row_scales + row + kLanes) * sum1 : sum1);
  }
}

}  // namespace

bool are_neighbours(const PackedMatrix& m) {
  for (uint32_t j = m.float32 + m.float16; j < m.stored_count(); j += kLanes)
    for (uint32_t k = 1; k < kLanes; ++k)
      if (m.scales[j + k] != 0 && m.sources[j + k] != m.sources[j] + k) return false;
  return true;
}

void multiply(const PackedMatrix& m, const float* vector, const Factors& room, float* out) {
  const float step = find_factors(m, vector, room);
  const size_t panels = m.panel_count(), bytes = m.panel_bytes(),
               quarter = (panels + kStreams - 1) / kStreams;
  if (panels == 0) return;
  // Where the rows are no whole quarters, runs overlap.
  size_t first[kStreams];
  for (size_t s = 0; s < kStreams; ++s) first[s] = std::min(s * quarter, panels - quarter);
  const size_t integers_at = size_t{kPanelRows} * (4 * m.float32 + 2 * m.float16);
  for (size_t p = 0; p < quarter; p += kMostPanels) {
    const auto count = static_cast<uint32_t>(std::min<size_t>(kMostPanels, quarter - p));
    const std::byte* at[kStreams];
    for (size_t s = 0; s < kStreams; ++s) at[s] = m.panels + (first[s] + p) * bytes + integers_at;
    PanelSums sums;
    integer_sums({at, bytes, count, m.int8, m.int4}, room, sums);
    for (size_t s = 0; s < kStreams; ++s)
      if (integers_at > 0)
        finish_panels(m, first[s] + p, count, sums.of[s], step, room, out);
      else
        finish_panels(m, first[s] + p, count, sums.of[s], step, out);
  }
}

}  // namespace billow
