// Integer sums by ARM's products of matrices: two rows of eight columns times the high and the low bytes of eight steps, in one
// instruction. Built for processors that have it, whatever the rest of the library is built for: all of it has to be
// local to this file.
#include <utility>

#include "net/integer_kernel.h"

namespace billow {

#if defined(BILLOW_SIMD_NEON) && defined(__ARM_FEATURE_MATMUL_INT8)

namespace {

// The sums of one panel, two rows each: high and low of the one, high and low of the other.
struct PanelSums {
  int32x4_t rows01, rows23, rows45, rows67;
};

// Eight columns.
BILLOW_ALWAYS_INLINE void add(PanelSums& s, const int8_t* at, int8x16_t steps) {
  s.rows01 = vmmlaq_s32(s.rows01, vld1q_s8(at), steps);
  s.rows23 = vmmlaq_s32(s.rows23, vld1q_s8(at + 16), steps);
  s.rows45 = vmmlaq_s32(s.rows45, vld1q_s8(at + 32), steps);
  s.rows67 = vmmlaq_s32(s.rows67, vld1q_s8(at + 48), steps);
}

BILLOW_ALWAYS_INLINE int32x4_t together(int32x4_t rows01, int32x4_t rows23) {
  return vaddq_s32(vshlq_n_s32(vuzp1q_s32(rows01, rows23), 8), vuzp2q_s32(rows01, rows23));
}
BILLOW_ALWAYS_INLINE void finish(const PanelSums& s, int32_t* out) {
  vst1q_s32(out, together(s.rows01, s.rows23));
  vst1q_s32(out + 4, together(s.rows45, s.rows67));
}

// Every loop over panels is unrolled by name, so that all sums stay in registers. One panel alone would wait for its own sums; of
// four, side by side, a Neoverse V1 makes a quarter less than of two.
struct MatrixProducts {
  template <int... kPanel>
  static BILLOW_ALWAYS_INLINE void of(std::integer_sequence<int, kPanel...>, const int8_t* at, size_t stride,
                                      size_t ahead, uint32_t columns, const int8_t* steps, int32_t* out) {
    const int32x4_t none = vdupq_n_s32(0);
    PanelSums sums[] = {((void)kPanel, PanelSums{none, none, none, none})...};
    for (const int8_t* end = steps + 2 * size_t{columns}; steps != end; steps += 16, at += 64) {
      const int8x16_t eight = vld1q_s8(steps);
      (__builtin_prefetch(at + kPanel * stride + ahead), ...);
      (add(sums[kPanel], at + kPanel * stride, eight), ...);
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

const IntegerKernel* integer_kernel_i8mm() { return &IntegerKernelOf<MatrixProducts>::kernel; }

#else

const IntegerKernel* integer_kernel_i8mm() { return nullptr; }

#endif

}  // namespace billow
