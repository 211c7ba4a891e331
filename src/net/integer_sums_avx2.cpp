#include "net/avx2.h"
#include "net/panels_side_by_side.h"

namespace billow {

#if defined(BILLOW_SIMD_AVX2)

namespace {

struct Avx2Products {
  avx2::FourRowSums first, last;

  static BILLOW_ALWAYS_INLINE __m256i steps_at(const int8_t* steps) { return avx2::steps_at(steps); }
  BILLOW_ALWAYS_INLINE void add(const int8_t* at, __m256i steps) {
    first.add(avx2::two_rows(at), avx2::two_rows(at + 16), steps);
    last.add(avx2::two_rows(at + 32), avx2::two_rows(at + 48), steps);
  }
  BILLOW_ALWAYS_INLINE void finish(int32_t* out) const {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(out), avx2::eight_rows(first, last));
  }
};

}  // namespace

const IntegerKernel* integer_kernel_avx2() {
  return &IntegerKernelOf<PanelsSideBySide<Avx2Products>>::kernel;
}

#else

const IntegerKernel* integer_kernel_avx2() { return nullptr; }

#endif

}  // namespace billow
