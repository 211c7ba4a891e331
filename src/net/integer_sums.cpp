#include "net/integer_sums.h"

#include "net/integer_kernel.h"

#if defined(BILLOW_SIMD_NEON) && defined(__linux__)
#include <sys/auxv.h>
#endif

namespace billow {
namespace {

bool has_dot_product() {
#if !defined(BILLOW_SIMD_NEON)
  return false;
#elif defined(__ARM_FEATURE_DOTPROD) || defined(__APPLE__)
  return true;
#elif defined(__linux__)
  constexpr unsigned long kAsimdDp = 1ul << 20;
  return (getauxval(AT_HWCAP) & kAsimdDp) != 0;
#else
  return false;
#endif
}

}  // namespace

bool has_matrix_product() {
#if !defined(BILLOW_SIMD_NEON)
  return false;
#elif defined(__ARM_FEATURE_MATMUL_INT8)
  return true;
#elif defined(__linux__)
  constexpr unsigned long kI8mm = 1ul << 13;
  return (getauxval(AT_HWCAP2) & kI8mm) != 0;
#else
  return false;
#endif
}

namespace {

struct PlainProducts {
  template <int kPanels>
  static void of(const int8_t* at, size_t stride, size_t, uint32_t columns, const Factors& factors,
                 int32_t* out) {
    for (int p = 0; p < kPanels; ++p, at += stride, out += kPanelRows) {
      uint32_t sums[kPanelRows] = {};
      const int8_t* row = at;
      for (uint32_t k = 0; k < columns; k += 8)
        for (uint32_t r = 0; r < kPanelRows; ++r, row += 8) {
          int32_t sum = 0;
          for (uint32_t j = 0; j < 8; ++j) sum += row[j] * factors.steps[k + j];
          sums[r] += static_cast<uint32_t>(sum);
        }
      for (uint32_t r = 0; r < kPanelRows; ++r) out[r] = static_cast<int32_t>(sums[r]);
    }
  }
};

}  // namespace

const IntegerKernel* integer_kernel_plain() { return &IntegerKernelOf<PlainProducts>::kernel; }

IntegerKernels find_integer_kernels() {
  IntegerKernels found{};
  int count = 0;
  const auto add = [&](const IntegerKernel* kernel) {
    if (kernel) found.by_speed[count++] = kernel;
  };
  if (has_matrix_product()) add(integer_kernel_i8mm());
  if (has_dot_product()) add(integer_kernel_dotprod());
  add(integer_kernel_avx2());
  add(integer_kernel_pairs());
  add(integer_kernel_plain());
  return found;
}

#if defined(BILLOW_SIMD_AVX2)
// Nothing to find, and nothing may run before it is known that the processor can.
const IntegerKernel& best_integer_kernel() { return *integer_kernel_avx2(); }
#else
namespace {
const IntegerKernel* const best = find_integer_kernels().by_speed[0];
}
const IntegerKernel& best_integer_kernel() { return *best; }
#endif

}  // namespace billow
