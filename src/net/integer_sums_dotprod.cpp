// Integer sums by ARM's dot products: four bytes of a row times four bytes of steps in one lane, two lanes a row. Built for
// processors that have them, whatever the rest of the library is built for: all of it has to be
// local to this file.
#include <utility>

#include "net/integer_kernel.h"

namespace billow {

#if defined(BILLOW_SIMD_NEON) && defined(__ARM_FEATURE_DOTPROD)

namespace {

// The sums of one panel, of the steps' high and low bytes apart: two rows each.
struct PanelSums {
  int32x4_t high01, high23, high45, high67, low01, low23, low45, low67;
};

// Eight columns.
BILLOW_ALWAYS_INLINE void add(PanelSums& s, const int8_t* at, int8x16_t high, int8x16_t low) {
  const int8x16_t rows01 = vld1q_s8(at), rows23 = vld1q_s8(at + 16), rows45 = vld1q_s8(at + 32),
                  rows67 = vld1q_s8(at + 48);
  s.high01 = vdotq_s32(s.high01, rows01, high), s.low01 = vdotq_s32(s.low01, rows01, low);
  s.high23 = vdotq_s32(s.high23, rows23, high), s.low23 = vdotq_s32(s.low23, rows23, low);
  s.high45 = vdotq_s32(s.high45, rows45, high), s.low45 = vdotq_s32(s.low45, rows45, low);
  s.high67 = vdotq_s32(s.high67, rows67, high), s.low67 = vdotq_s32(s.low67, rows67, low);
}

BILLOW_ALWAYS_INLINE void finish(const PanelSums& s, int32_t* out) {
  vst1q_s32(out, vaddq_s32(vshlq_n_s32(vpaddq_s32(s.high01, s.high23), 8), vpaddq_s32(s.low01, s.low23)));
  vst1q_s32(out + 4, vaddq_s32(vshlq_n_s32(vpaddq_s32(s.high45, s.high67), 8), vpaddq_s32(s.low45, s.low67)));
}

// Every loop over panels is unrolled by name, so that all sums stay in registers.
struct DotProducts {
  template <int... kPanel>
  static BILLOW_ALWAYS_INLINE void of(std::integer_sequence<int, kPanel...>, const int8_t* at, size_t stride,
                                      size_t ahead, uint32_t columns, const int8_t* steps, int32_t* out) {
    const int32x4_t none = vdupq_n_s32(0);
    PanelSums sums[] = {((void)kPanel, PanelSums{none, none, none, none, none, none, none, none})...};
    for (const int8_t* end = steps + 2 * size_t{columns}; steps != end; steps += 16, at += 64) {
      const int8x8_t high = vld1_s8(steps), low = vld1_s8(steps + 8);
      (__builtin_prefetch(at + kPanel * stride + ahead), ...);
      (add(sums[kPanel], at + kPanel * stride, vcombine_s8(high, high), vcombine_s8(low, low)), ...);
    }
    (finish(sums[kPanel], out + kPanel * kPanelRows), ...);
  }
  template <int kPanels>
  static BILLOW_ALWAYS_INLINE void of(const int8_t* at, size_t stride, size_t ahead, uint32_t columns,
                                      const Factors& factors, int32_t* out) {
    of(std::make_integer_sequence<int, kPanels>(), at, stride, ahead, columns, factors.bytes, out);
  }
};

}  // namespace

const IntegerKernel* integer_kernel_dotprod() { return &IntegerKernelOf<DotProducts>::kernel; }

#else

const IntegerKernel* integer_kernel_dotprod() { return nullptr; }

#endif

}  // namespace billow
