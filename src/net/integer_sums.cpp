#include "net/integer_sums.h"

#include "core/simd.h"

#if defined(BILLOW_SIMD_NEON) && defined(__linux__) && !defined(__ARM_FEATURE_DOTPROD)
#include <sys/auxv.h>
#endif

namespace billow {
namespace {

// Four columns of eight rows.
void add_four(const int8_t* values, const int16_t* steps, uint32_t* sums) {
  for (uint32_t r = 0; r < kPanelRows; ++r) {
    int32_t sum = 0;
    for (int j = 0; j < 4; ++j) sum += values[4 * r + j] * steps[j];
    sums[r] += static_cast<uint32_t>(sum);
  }
}

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

void integer_sums_plain(const PanelRun& run, const Factors& factors, int32_t* out) {
  for (uint32_t p = 0; p < run.count; ++p, out += kPanelRows) {
    uint32_t sums[kPanelRows] = {};
    const auto* at = reinterpret_cast<const int8_t*>(run.first + p * run.stride);
    const int16_t* steps = factors.steps;
    for (uint32_t k = 0; k < run.int8; k += 4, at += 4 * kPanelRows, steps += 4) add_four(at, steps, sums);
    for (uint32_t k = 0; k < run.int4; k += 8, at += 4 * kPanelRows, steps += 8) {
      int8_t low[4 * kPanelRows], high[4 * kPanelRows];
      for (uint32_t i = 0; i < 4 * kPanelRows; ++i) {
        low[i] = static_cast<int8_t>((at[i] & 15) - (at[i] & 8) * 2);
        high[i] = static_cast<int8_t>(at[i] >> 4);
      }
      add_four(low, steps, sums);
      add_four(high, steps + 4, sums);
    }
    for (uint32_t r = 0; r < kPanelRows; ++r) out[r] = static_cast<int32_t>(sums[r]);
  }
}

IntegerSums best_integer_sums() {
  const IntegerSums faster = has_dot_product() ? integer_sums_dotprod() : nullptr,
                    fast = integer_sums_pairs();
  return faster ? faster : fast ? fast : integer_sums_plain;
}

}  // namespace billow
