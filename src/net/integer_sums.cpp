#include "net/integer_sums.h"

#include "core/simd.h"

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

void integer_sums_plain(const PanelRun& run, const Factors& factors, int32_t* out) {
  for (uint32_t p = 0; p < run.count; ++p, out += kPanelRows) {
    uint32_t sums[kPanelRows] = {};
    const auto* at = reinterpret_cast<const int8_t*>(run.first + p * run.stride);
    for (uint32_t k = 0; k < run.columns; k += 8)
      for (uint32_t r = 0; r < kPanelRows; ++r, at += 8) {
        int32_t sum = 0;
        for (uint32_t j = 0; j < 8; ++j) sum += at[j] * factors.steps[k + j];
        sums[r] += static_cast<uint32_t>(sum);
      }
    for (uint32_t r = 0; r < kPanelRows; ++r) out[r] = static_cast<int32_t>(sums[r]);
  }
}

IntegerSumsFound find_integer_sums() {
  IntegerSumsFound found{};
  int count = 0;
  const auto add = [&](IntegerSums sums) {
    if (sums) found.by_speed[count++] = sums;
  };
  if (has_matrix_product()) add(integer_sums_i8mm());
  if (has_dot_product()) add(integer_sums_dotprod());
  add(integer_sums_pairs());
  add(integer_sums_plain);
  return found;
}

}  // namespace billow
