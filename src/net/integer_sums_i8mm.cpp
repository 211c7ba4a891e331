// Integer sums by ARM's matrix products: one instruction multiplies two rows of eight columns by the high and
// the low bytes of eight activations. Compiled for processors that have it, whatever the rest of the library
// is compiled for, so everything in it has to be local to this file.
#include "net/panels_side_by_side.h"

namespace billow {

#if defined(BILLOW_SIMD_NEON) && defined(__ARM_FEATURE_MATMUL_INT8)

namespace {

// Two rows in each register: high and low sum of the first, high and low sum of the second.
struct MatrixProducts {
  int32x4_t rows01 = vdupq_n_s32(0), rows23 = rows01, rows45 = rows01, rows67 = rows01;

  static BILLOW_ALWAYS_INLINE int8x16_t q16_at(const int8_t* q16) { return vld1q_s8(q16); }
  BILLOW_ALWAYS_INLINE void add(const int8_t* at, int8x16_t q16) {
    rows01 = vmmlaq_s32(rows01, vld1q_s8(at), q16);
    rows23 = vmmlaq_s32(rows23, vld1q_s8(at + 16), q16);
    rows45 = vmmlaq_s32(rows45, vld1q_s8(at + 32), q16);
    rows67 = vmmlaq_s32(rows67, vld1q_s8(at + 48), q16);
  }
  BILLOW_ALWAYS_INLINE void finish(int32_t* out) const {
    vst1q_s32(out, combine(rows01, rows23));
    vst1q_s32(out + 4, combine(rows45, rows67));
  }

 private:
  // 256 * high + low, of four rows.
  static BILLOW_ALWAYS_INLINE int32x4_t combine(int32x4_t a, int32x4_t b) {
    return vaddq_s32(vshlq_n_s32(vuzp1q_s32(a, b), 8), vuzp2q_s32(a, b));
  }
};

}  // namespace

const IntegerKernel* integer_kernel_i8mm() {
  return &IntegerKernelOf<PanelsSideBySide<MatrixProducts>>::kernel;
}

#else

const IntegerKernel* integer_kernel_i8mm() { return nullptr; }

#endif

}  // namespace billow
