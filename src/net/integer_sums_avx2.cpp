#include "net/avx2.h"
#include "net/integer_kernel.h"

namespace billow {

#if defined(BILLOW_AVX2)

namespace {

struct Avx2Products {
  template <int kPanels>
  BILLOW_AVX2 static void of(const int8_t* at, size_t stride, size_t, uint32_t columns,
                             const Factors& factors, int32_t* out) {
    avx2::PanelSums sums[kPanels];
    for (avx2::PanelSums& s : sums) s = avx2::no_sums();
    for (uint32_t k = 0; k < columns; k += 8, at += 8 * kPanelRows) {
      const __m256i steps = avx2::steps_at(factors.steps + k);
#pragma GCC unroll 2
      for (int p = 0; p < kPanels; ++p)
#pragma GCC unroll 4
        for (int r = 0; r < 4; ++r)
          avx2::add(sums[p].rows[r], avx2::two_rows(at + static_cast<size_t>(p) * stride + 16 * r), steps);
    }
    for (int p = 0; p < kPanels; ++p) avx2::finish(sums[p], out + static_cast<uint32_t>(p) * kPanelRows);
  }
};

}  // namespace

const IntegerKernel* integer_kernel_avx2() {
  return avx2::is_there() ? &IntegerKernelOf<Avx2Products>::kernel : nullptr;
}

#else

const IntegerKernel* integer_kernel_avx2() { return nullptr; }

#endif

}  // namespace billow
