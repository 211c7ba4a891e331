// Integer sums by ARM's products of matrices: two rows of eight columns times the high and the low bytes of eight steps, in one
// instruction. Built for processors that have it, whatever the rest of the library is built for; nothing else may be in this file.
#include <utility>

#include "core/simd.h"
#include "net/integer_sums.h"

namespace billow {

#if defined(BILLOW_SIMD_NEON) && defined(__ARM_FEATURE_MATMUL_INT8)

namespace {

// The sums of one panel, two rows each: high and low of the one, high and low of the other.
struct Sums {
  int32x4_t rows01, rows23, rows45, rows67;
};

// Eight columns.
BILLOW_ALWAYS_INLINE void add(Sums& s, const int8_t* at, int8x16_t steps) {
  s.rows01 = vmmlaq_s32(s.rows01, vld1q_s8(at), steps);
  s.rows23 = vmmlaq_s32(s.rows23, vld1q_s8(at + 16), steps);
  s.rows45 = vmmlaq_s32(s.rows45, vld1q_s8(at + 32), steps);
  s.rows67 = vmmlaq_s32(s.rows67, vld1q_s8(at + 48), steps);
}

BILLOW_ALWAYS_INLINE int32x4_t together(int32x4_t rows01, int32x4_t rows23) {
  return vaddq_s32(vshlq_n_s32(vuzp1q_s32(rows01, rows23), 8), vuzp2q_s32(rows01, rows23));
}

// Several panels side by side: one alone would wait for its own sums. Every loop over them is unrolled by name, so that all
// sums stay in registers.
template <int... kPanel>
BILLOW_ALWAYS_INLINE void add_panels(std::integer_sequence<int, kPanel...>, const PanelRun& run,
                                     const std::byte* first, const Factors& factors, int32_t* out) {
  const auto* at = reinterpret_cast<const int8_t*>(first);
  const size_t stride = run.stride, ahead = run.ahead;
  const int32x4_t none = vdupq_n_s32(0);
  Sums sums[] = {((void)kPanel, Sums{none, none, none, none})...};
  const int8_t* steps = factors.bytes;
  for (const int8_t* end = steps + 2 * size_t{run.columns}; steps != end; steps += 16, at += 64) {
    const int8x16_t eight = vld1q_s8(steps);
    (__builtin_prefetch(at + kPanel * stride + ahead), ...);
    (add(sums[kPanel], at + kPanel * stride, eight), ...);
  }
  (vst1q_s32(out + kPanel * kPanelRows, together(sums[kPanel].rows01, sums[kPanel].rows23)), ...);
  (vst1q_s32(out + kPanel * kPanelRows + 4, together(sums[kPanel].rows45, sums[kPanel].rows67)), ...);
}

void sums_by_matrix_products(const PanelRun& run, const Factors& factors, int32_t* out) {
  const std::byte* at = run.first;
  uint32_t left = run.count;
  for (; left >= 4; left -= 4, at += 4 * run.stride, out += 4 * kPanelRows)
    add_panels(std::make_integer_sequence<int, 4>(), run, at, factors, out);
  if (left == 3) add_panels(std::make_integer_sequence<int, 3>(), run, at, factors, out);
  if (left == 2) add_panels(std::make_integer_sequence<int, 2>(), run, at, factors, out);
  if (left == 1) add_panels(std::make_integer_sequence<int, 1>(), run, at, factors, out);
}

}  // namespace

IntegerSums integer_sums_i8mm() { return sums_by_matrix_products; }

#else

IntegerSums integer_sums_i8mm() { return nullptr; }

#endif

}  // namespace billow
