// The product of a packed matrix and a vector: four panels at a time, from four quarters of the rows.
#include <cmath>

#include "core/simd.h"
#include "net/half.h"
#include "net/integer_sums.h"

namespace billow {
namespace {

// Scales the vector's entries, and puts those for integers in steps. Returns the step.
float find_factors(const PackedMatrix& m, const float* vector, const Factors& f) {
  const uint32_t floats = m.float32 + m.float16, count = m.stored_count();
  for (uint32_t j = 0; j < count; ++j) {
    const float x = m.stored[j].scale * vector[m.stored[j].source];
    f.scaled[j] = std::fabs(x) <= 1e30f ? x : 0.0f;
  }
  // Integers stand in fours.
  F4 largest = zero(), sums = zero();
  for (uint32_t j = floats; j < count; j += kLanes) {
    const F4 size = abs(load(f.scaled + j));
    largest = max(largest, size);
    sums += size;
  }
  float sum[kLanes];
  store(sum, sums);
  // The largest fits 16 bits, and no sum of entries of up to 128 reaches 2^31.
  constexpr float kMostSteps = 127 * 256;
  const float by_largest = horizontal_max(largest) / kMostSteps;
  const float by_sum = (sum[0] + sum[1] + sum[2] + sum[3]) * (1.001f * 128 / 2147483648.0f);
  const float step = by_largest > by_sum ? by_largest : by_sum;
  // Steps so small that one over them is no number are none.
  const float inverse = step > 1e-36f ? 1.0f / step : 0.0f;
  for (uint32_t j = floats; j < count; ++j) {
    const float steps = f.scaled[j] * inverse;
    const int whole = static_cast<int>(steps + (steps < 0 ? -0.5f : 0.5f));
    const int high = (whole + 128) >> 8;
    f.steps[j - floats] = static_cast<int16_t>(whole);
    f.high[j - floats] = static_cast<int8_t>(high);
    f.low[j - floats] = static_cast<int8_t>(whole - 256 * high);
  }
  return step;
}

const IntegerSums integer_sums = best_integer_sums();

// One panel's float columns.
struct FloatStream {
  const std::byte* at = nullptr;
  F4 sum0 = zero(), sum1 = zero();

  BILLOW_ALWAYS_INLINE void float32(F4 x) {
    const auto* values = reinterpret_cast<const float*>(at);
    sum0 += load(values) * x;
    sum1 += load(values + kLanes) * x;
    at += 4 * kPanelRows;
  }
  BILLOW_ALWAYS_INLINE void float16(F4 x) {
    const auto* values = reinterpret_cast<const uint16_t*>(at);
    sum0 += load_half(values) * x;
    sum1 += load_half(values + kLanes) * x;
    at += 2 * kPanelRows;
  }
};

// Whole numbers as floats, to the nearest.
F4 load_whole(const int32_t* p) {
#if defined(BILLOW_SIMD_NEON)
  return {vcvtq_f32_s32(vld1q_s32(p))};
#else
  const float values[kLanes] = {static_cast<float>(p[0]), static_cast<float>(p[1]), static_cast<float>(p[2]),
                                static_cast<float>(p[3])};
  return load(values);
#endif
}

struct FloatSums {
  float of[kStreams][kPanelRows];
};

// Leaves `at` where the integers begin.
void add_floats(const PackedMatrix& m, const std::byte** at, const Factors& f, FloatSums& sums) {
  static_assert(kStreams == 4);
  FloatStream a{at[0]}, b{at[1]}, c{at[2]}, d{at[3]};
  for (uint32_t k = 0; k < m.float32; ++k) {
    const F4 x = splat(f.scaled[k]);
    a.float32(x), b.float32(x), c.float32(x), d.float32(x);
  }
  for (uint32_t k = 0; k < m.float16; ++k) {
    const F4 x = splat(f.scaled[m.float32 + k]);
    a.float16(x), b.float16(x), c.float16(x), d.float16(x);
  }
  const auto finish = [&](const FloatStream& stream, int s) {
    at[s] = stream.at;
    store(sums.of[s], stream.sum0);
    store(sums.of[s] + kLanes, stream.sum1);
  };
  finish(a, 0), finish(b, 1), finish(c, 2), finish(d, 3);
}

}  // namespace

void multiply(const PackedMatrix& m, const float* vector, const Factors& room, float* out) {
  const float step = find_factors(m, vector, room);
  const size_t panels = m.panel_count(), bytes = m.panel_bytes(),
               quarter = (panels + kStreams - 1) / kStreams;
  for (size_t p = 0; p < quarter; ++p) {
    const std::byte* at[kStreams];
    size_t row[kStreams];
    for (size_t s = 0; s < kStreams; ++s) {
      // Where the last quarter is shorter, do its last panel again.
      const size_t panel = s * quarter + p < panels ? s * quarter + p : panels - 1;
      at[s] = m.panels + panel * bytes;
      row[s] = panel * kPanelRows;
    }
    FloatSums floats;
    PanelSums integers;
    add_floats(m, at, room, floats);
    integer_sums(at, m.int8, m.int4, room, integers);
    for (int s = 0; s < kStreams; ++s)
      for (size_t h = 0; h < kPanelRows; h += kLanes) {
        const F4 sum = load(floats.of[s] + h) + load_whole(integers.of[s] + h) * step;
        store(out + row[s] + h, m.row_scales ? load(m.row_scales + row[s] + h) * sum : sum);
      }
  }
}

}  // namespace billow
