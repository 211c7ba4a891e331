// Integer sums by ARM's dot products: four bytes of a row times four bytes of steps in one lane, two lanes a row. Built for
// processors that have them, whatever the rest of the library is built for; nothing else may be in this file.
#include <utility>

#include "core/simd.h"
#include "net/integer_sums.h"

namespace billow {

#if defined(BILLOW_SIMD_NEON) && defined(__ARM_FEATURE_DOTPROD)

namespace {

// The sums of one panel, of the steps' high and low bytes apart: two rows each.
struct Sums {
  int32x4_t high01, high23, high45, high67, low01, low23, low45, low67;
};

// Eight columns.
BILLOW_ALWAYS_INLINE void add(Sums& s, const int8_t* at, int8x16_t high, int8x16_t low) {
  const int8x16_t rows01 = vld1q_s8(at), rows23 = vld1q_s8(at + 16), rows45 = vld1q_s8(at + 32),
                  rows67 = vld1q_s8(at + 48);
  s.high01 = vdotq_s32(s.high01, rows01, high), s.low01 = vdotq_s32(s.low01, rows01, low);
  s.high23 = vdotq_s32(s.high23, rows23, high), s.low23 = vdotq_s32(s.low23, rows23, low);
  s.high45 = vdotq_s32(s.high45, rows45, high), s.low45 = vdotq_s32(s.low45, rows45, low);
  s.high67 = vdotq_s32(s.high67, rows67, high), s.low67 = vdotq_s32(s.low67, rows67, low);
}

BILLOW_ALWAYS_INLINE void finish(const Sums& s, int32_t* out) {
  vst1q_s32(out, vaddq_s32(vshlq_n_s32(vpaddq_s32(s.high01, s.high23), 8), vpaddq_s32(s.low01, s.low23)));
  vst1q_s32(out + 4, vaddq_s32(vshlq_n_s32(vpaddq_s32(s.high45, s.high67), 8), vpaddq_s32(s.low45, s.low67)));
}

// Several panels side by side: one alone would wait for its own sums. Every loop over them is unrolled by name, so that all
// sums stay in registers.
template <int... kPanel>
BILLOW_ALWAYS_INLINE void add_panels(std::integer_sequence<int, kPanel...>, const PanelRun& run,
                                     const std::byte* first, const Factors& factors, int32_t* out) {
  const auto* at = reinterpret_cast<const int8_t*>(first);
  const size_t stride = run.stride, ahead = run.ahead;
  const int32x4_t none = vdupq_n_s32(0);
  Sums sums[] = {((void)kPanel, Sums{none, none, none, none, none, none, none, none})...};
  const int8_t* steps = factors.bytes;
  for (const int8_t* end = steps + 2 * size_t{run.columns}; steps != end; steps += 16, at += 64) {
    const int8x8_t high = vld1_s8(steps), low = vld1_s8(steps + 8);
    (__builtin_prefetch(at + kPanel * stride + ahead), ...);
    (add(sums[kPanel], at + kPanel * stride, vcombine_s8(high, high), vcombine_s8(low, low)), ...);
  }
  (finish(sums[kPanel], out + kPanel * kPanelRows), ...);
}

void sums_by_dot_products(const PanelRun& run, const Factors& factors, int32_t* out) {
  const std::byte* at = run.first;
  uint32_t left = run.count;
  for (; left >= 2; left -= 2, at += 2 * run.stride, out += 2 * kPanelRows)
    add_panels(std::make_integer_sequence<int, 2>(), run, at, factors, out);
  if (left == 1) add_panels(std::make_integer_sequence<int, 1>(), run, at, factors, out);
}

}  // namespace

IntegerSums integer_sums_dotprod() { return sums_by_dot_products; }

#else

IntegerSums integer_sums_dotprod() { return nullptr; }

#endif

}  // namespace billow
