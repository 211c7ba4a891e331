// Integer sums by ARM's dot products: each lane multiplies four weights of a row by one byte each of four
// activations, two lanes a row. Compiled for processors that have them, whatever the rest of the library is
// compiled for, so everything in it has to be local to this file.
#include "net/panels_side_by_side.h"

namespace billow {

#if defined(BILLOW_SIMD_NEON) && defined(__ARM_FEATURE_DOTPROD)

namespace {

// Separate sums for the high and the low bytes of the activations, two rows in each register.
struct DotProducts {
  int32x4_t high01 = vdupq_n_s32(0), high23 = high01, high45 = high01, high67 = high01, low01 = high01,
            low23 = high01, low45 = high01, low67 = high01;

  struct Activations {
    int8x16_t high, low;  // of eight activations, repeated in both halves
  };
  static BILLOW_ALWAYS_INLINE Activations q16_at(const int8_t* q16) {
    const int8x8_t high = vld1_s8(q16), low = vld1_s8(q16 + 8);
    return {vcombine_s8(high, high), vcombine_s8(low, low)};
  }
  BILLOW_ALWAYS_INLINE void add(const int8_t* at, const Activations& s) {
    const int8x16_t rows01 = vld1q_s8(at), rows23 = vld1q_s8(at + 16), rows45 = vld1q_s8(at + 32),
                    rows67 = vld1q_s8(at + 48);
    high01 = vdotq_s32(high01, rows01, s.high), low01 = vdotq_s32(low01, rows01, s.low);
    high23 = vdotq_s32(high23, rows23, s.high), low23 = vdotq_s32(low23, rows23, s.low);
    high45 = vdotq_s32(high45, rows45, s.high), low45 = vdotq_s32(low45, rows45, s.low);
    high67 = vdotq_s32(high67, rows67, s.high), low67 = vdotq_s32(low67, rows67, s.low);
  }
  BILLOW_ALWAYS_INLINE void finish(int32_t* out) const {
    vst1q_s32(out, combine(high01, high23, low01, low23));
    vst1q_s32(out + 4, combine(high45, high67, low45, low67));
  }

 private:
  // 256 * high + low, of four rows.
  static BILLOW_ALWAYS_INLINE int32x4_t combine(int32x4_t high_a, int32x4_t high_b, int32x4_t low_a,
                                                int32x4_t low_b) {
    return vaddq_s32(vshlq_n_s32(vpaddq_s32(high_a, high_b), 8), vpaddq_s32(low_a, low_b));
  }
};

}  // namespace

const IntegerKernel* integer_kernel_dotprod() {
  return &IntegerKernelOf<PanelsSideBySide<DotProducts>>::kernel;
}

#else

const IntegerKernel* integer_kernel_dotprod() { return nullptr; }

#endif

}  // namespace billow
