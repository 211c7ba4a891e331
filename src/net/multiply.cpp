// The product of a packed matrix and a vector: four runs of panels at a time, from four quarters of the rows.
#include <algorithm>
#include <cmath>

#include "core/simd.h"
#include "net/half.h"
#include "net/integer_sums.h"
#include "net/steps.h"

namespace billow {
namespace {

// Scales the vector's entries for floats, and puts those for integers in steps. Returns the step.
float find_factors(const PackedMatrix& m, const Entries& vector, const Factors& f) {
  const uint32_t floats = m.float32 + m.float16, integers = m.int8 + m.int4;
  for (uint32_t j = 0; j < floats; ++j) f.scaled[j] = m.scales[j] * vector.at[m.sources[j]];
  // The largest fits 16 bits, and no sum of entries of up to 128 reaches 2^31.
  constexpr float kMostSteps = 127 * 256, kMostSum = 2147483648.0f / 128 / 1.001f;
  const float largest = vector.largest * m.largest_scale, count = static_cast<float>(integers);
  const float step = largest / (count * kMostSteps < kMostSum ? kMostSteps : kMostSum / count);
  // Steps so small that one over them is no number are none.
  const float inverse = step > 1e-36f ? 1.0f / step : 0.0f;
  const uint32_t* sources = m.sources + floats;
  const float* scales = m.scales + floats;
  if (m.neighbours)
    put_steps(
        integers, inverse, scales, [&](uint32_t j) { return load(vector.at + sources[j]); }, f);
  else
    put_steps(
        integers, inverse, scales,
        [&](uint32_t j) {
          const float entries[kLanes] = {vector.at[sources[j]], vector.at[sources[j + 1]],
                                         vector.at[sources[j + 2]], vector.at[sources[j + 3]]};
          return load(entries);
        },
        f);
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

}  // namespace

bool are_neighbours(const PackedMatrix& m) {
  for (uint32_t j = m.float32 + m.float16; j < m.stored_count(); j += kLanes)
    for (uint32_t k = 1; k < kLanes; ++k)
      if (m.scales[j + k] != 0 && m.sources[j + k] != m.sources[j] + k) return false;
  return true;
}

float largest_scale(const PackedMatrix& m) {
  float largest = 0;
  for (uint32_t j = m.float32 + m.float16; j < m.stored_count(); ++j)
    largest = std::max(largest, std::fabs(m.scales[j]));
  return largest;
}

Entries find_entries(float* vector, uint32_t count) {
  constexpr float kMost = 1e30f;
  F4 largest = zero();
  M4 sound = splat(0.0f) <= splat(0.0f);
  for (uint32_t j = 0; j < count; j += kLanes) {
    const F4 size = abs(load(vector + j));
    sound = sound & (size <= kMost);
    largest = max(largest, size);
  }
  if (all(sound)) return {vector, horizontal_max(largest)};
  for (uint32_t j = 0; j < count; ++j)
    if (!(std::fabs(vector[j]) <= kMost)) vector[j] = 0;
  return find_entries(vector, count);
}

void multiply(const PackedMatrix& m, const Entries& vector, const Factors& room, float* out) {
  const float step = find_factors(m, vector, room);
  const size_t panels = m.panel_count(), bytes = m.panel_bytes();
  const size_t integers_at = size_t{kPanelRows} * (4 * m.float32 + 2 * m.float16);
  constexpr size_t kAtOnce = 64, kMostAhead = 16384;
  const size_t ahead = std::min(kMostAhead, panels * bytes);
  for (size_t p = 0; p < panels; p += kAtOnce) {
    const size_t count = std::min(kAtOnce, panels - p);
    int32_t sums[kAtOnce * kPanelRows];
    integer_sums(
        {m.panels + p * bytes + integers_at, bytes, static_cast<uint32_t>(count), m.int8, m.int4, ahead},
        room, sums);
    finish_panels(m, p, count, sums, step, room, out);
  }
}

}  // namespace billow
