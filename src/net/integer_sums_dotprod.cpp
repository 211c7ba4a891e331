// Integer sums by ARM's dot products: four bytes of a row times four bytes of steps in one lane. Built for processors that
// have them, whatever the rest of the library is built for; nothing else may be in this file.
#include <utility>

#include "core/simd.h"
#include "net/integer_sums.h"

namespace billow {

#if defined(BILLOW_SIMD_NEON) && defined(__ARM_FEATURE_DOTPROD)

namespace {

// The sums of one panel, of the steps' high and low bytes apart: rows 0 to 3, and 4 to 7.
struct Sums {
  int32x4_t high0, high1, low0, low1;
};

template <int kQuad>
BILLOW_ALWAYS_INLINE void add(Sums& s, int8x16_t q0, int8x16_t q1, int8x16_t high, int8x16_t low) {
  s.high0 = vdotq_laneq_s32(s.high0, q0, high, kQuad);
  s.high1 = vdotq_laneq_s32(s.high1, q1, high, kQuad);
  s.low0 = vdotq_laneq_s32(s.low0, q0, low, kQuad);
  s.low1 = vdotq_laneq_s32(s.low1, q1, low, kQuad);
}

// Four columns of int8.
template <int kQuad>
BILLOW_ALWAYS_INLINE void add_int8(Sums& s, const int8_t* at, int8x16_t high, int8x16_t low) {
  add<kQuad>(s, vld1q_s8(at), vld1q_s8(at + 16), high, low);
}
// Eight of int4.
template <int kQuad>
BILLOW_ALWAYS_INLINE void add_int4(Sums& s, const int8_t* at, int8x16_t high, int8x16_t low) {
  const int8x16_t both0 = vld1q_s8(at), both1 = vld1q_s8(at + 16);
  add<kQuad>(s, vshrq_n_s8(vshlq_n_s8(both0, 4), 4), vshrq_n_s8(vshlq_n_s8(both1, 4), 4), high, low);
  add<kQuad + 1>(s, vshrq_n_s8(both0, 4), vshrq_n_s8(both1, 4), high, low);
}

BILLOW_ALWAYS_INLINE void finish(const Sums& s, int32_t* out) {
  vst1q_s32(out, vaddq_s32(vshlq_n_s32(s.high0, 8), s.low0));
  vst1q_s32(out + 4, vaddq_s32(vshlq_n_s32(s.high1, 8), s.low1));
}

// Several panels side by side: one alone would wait for its own sums. Every loop over them is unrolled by name, so that all
// sums stay in registers.
template <int... kPanel>
BILLOW_ALWAYS_INLINE void add_panels(std::integer_sequence<int, kPanel...>, const PanelRun& run,
                                     const std::byte* first, const Factors& factors, int32_t* out) {
  constexpr int kPanels = sizeof...(kPanel);
  const auto* at = reinterpret_cast<const int8_t*>(first);
  const auto* next = at + run.ahead;
  const size_t stride = run.stride;
  const int32x4_t none = vdupq_n_s32(0);
  Sums sums[kPanels] = {((void)kPanel, Sums{none, none, none, none})...};
  // Steps may be read beyond the last column: there is room (Factors::kSpare).
  const int8_t *high = factors.high, *low = factors.low, *end = high + run.int8;
  for (; high + 16 <= end; high += 16, low += 16, at += 16 * kPanelRows) {
    const int8x16_t h = vld1q_s8(high), l = vld1q_s8(low);
    (add_int8<0>(sums[kPanel], at + kPanel * stride, h, l), ...);
    (add_int8<1>(sums[kPanel], at + kPanel * stride + 32, h, l), ...);
    (add_int8<2>(sums[kPanel], at + kPanel * stride + 64, h, l), ...);
    (add_int8<3>(sums[kPanel], at + kPanel * stride + 96, h, l), ...);
    ((__builtin_prefetch(next + 128 * kPanel), __builtin_prefetch(next + 128 * kPanel + 64)), ...);
    next += 128 * kPanels;
  }
  for (; high < end; high += 4, low += 4, at += 4 * kPanelRows) {
    const int8x16_t h = vld1q_s8(high), l = vld1q_s8(low);
    (add_int8<0>(sums[kPanel], at + kPanel * stride, h, l), ...);
    (__builtin_prefetch(next + 32 * kPanel), ...);
    next += 32 * kPanels;
  }
  for (end += run.int4; high + 16 <= end; high += 16, low += 16, at += 8 * kPanelRows) {
    const int8x16_t h = vld1q_s8(high), l = vld1q_s8(low);
    (add_int4<0>(sums[kPanel], at + kPanel * stride, h, l), ...);
    (add_int4<2>(sums[kPanel], at + kPanel * stride + 32, h, l), ...);
    (__builtin_prefetch(next + 64 * kPanel), ...);
    next += 64 * kPanels;
  }
  if (high < end) {
    const int8x16_t h = vld1q_s8(high), l = vld1q_s8(low);
    (add_int4<0>(sums[kPanel], at + kPanel * stride, h, l), ...);
  }
  (finish(sums[kPanel], out + kPanel * kPanelRows), ...);
}

// Panels of up to 32 columns of int8, as bases have: steps stay in registers, and nothing is left to decide in the loop.
template <int... kQuad>
BILLOW_ALWAYS_INLINE void add_narrow(std::integer_sequence<int, kQuad...>, const PanelRun& run,
                                     const Factors& factors, int32_t* out) {
  const int8x16_t h0 = vld1q_s8(factors.high), h1 = vld1q_s8(factors.high + 16), l0 = vld1q_s8(factors.low),
                  l1 = vld1q_s8(factors.low + 16);
  const auto* at = reinterpret_cast<const int8_t*>(run.first);
  const int32x4_t none = vdupq_n_s32(0);
  for (uint32_t p = 0; p < run.count; ++p, at += run.stride, out += kPanelRows) {
    Sums sums{none, none, none, none};
    (add_int8<kQuad % 4>(sums, at + 32 * kQuad, kQuad < 4 ? h0 : h1, kQuad < 4 ? l0 : l1), ...);
    // A line of the cache is 64 bytes.
    ((kQuad % 2 == 0 ? __builtin_prefetch(at + run.ahead + 32 * kQuad) : void()), ...);
    finish(sums, out);
  }
}
template <int kQuads> bool add_if_narrow(const PanelRun& run, const Factors& factors, int32_t* out) {
  if (run.int8 != 4 * kQuads) return false;
  add_narrow(std::make_integer_sequence<int, kQuads>(), run, factors, out);
  return true;
}

void sums_by_dot_products(const PanelRun& run, const Factors& factors, int32_t* out) {
  if (run.int4 == 0 && run.int8 <= 32 &&
      (add_if_narrow<4>(run, factors, out) || add_if_narrow<5>(run, factors, out) ||
       add_if_narrow<6>(run, factors, out) || add_if_narrow<7>(run, factors, out) ||
       add_if_narrow<8>(run, factors, out)))
    return;
  const std::byte* at = run.first;
  uint32_t left = run.count;
  for (; left >= 4; left -= 4, at += 4 * run.stride, out += 4 * kPanelRows)
    add_panels(std::make_integer_sequence<int, 4>(), run, at, factors, out);
  if (left == 3) add_panels(std::make_integer_sequence<int, 3>(), run, at, factors, out);
  if (left == 2) add_panels(std::make_integer_sequence<int, 2>(), run, at, factors, out);
  if (left == 1) add_panels(std::make_integer_sequence<int, 1>(), run, at, factors, out);
}

}  // namespace

IntegerSums integer_sums_dotprod() { return sums_by_dot_products; }

#else

IntegerSums integer_sums_dotprod() { return nullptr; }

#endif

}  // namespace billow
