#include <utility>

#include "net/avx2.h"
#include "net/integer_kernel.h"

namespace billow {

#if defined(BILLOW_SIMD_AVX2)

namespace {

struct PanelSums {
  avx2::FourRowSums first, last;

  BILLOW_ALWAYS_INLINE void add(const int8_t* at, __m256i steps) {
    first.add(avx2::two_rows(at), avx2::two_rows(at + 16), steps);
    last.add(avx2::two_rows(at + 32), avx2::two_rows(at + 48), steps);
  }
  BILLOW_ALWAYS_INLINE void finish(int32_t* out) const {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(out), avx2::eight_rows(first, last));
  }
};

struct Avx2Products {
  template <int kPanels>
  static BILLOW_ALWAYS_INLINE void of(const int8_t* at, size_t stride, size_t ahead, uint32_t columns,
                                      const Factors& factors, int32_t* out) {
    add_up(std::make_integer_sequence<int, kPanels>(), at, stride, ahead, columns, factors.steps, out);
  }

 private:
  // Unrolled by name, so that all sums stay in registers.
  template <int... kPanel>
  static BILLOW_ALWAYS_INLINE void add_up(std::integer_sequence<int, kPanel...>, const int8_t* at,
                                          size_t stride, size_t ahead, uint32_t columns, const int16_t* steps,
                                          int32_t* out) {
    PanelSums sums[sizeof...(kPanel)];
    for (const int16_t* end = steps + columns; steps != end; steps += 8, at += 8 * kPanelRows) {
      const __m256i eight = avx2::steps_at(steps);
      (__builtin_prefetch(at + kPanel * stride + ahead), ...);
      (sums[kPanel].add(at + kPanel * stride, eight), ...);
    }
    (sums[kPanel].finish(out + kPanel * int{kPanelRows}), ...);
  }
};

}  // namespace

const IntegerKernel* integer_kernel_avx2() { return &IntegerKernelOf<Avx2Products>::kernel; }

#else

const IntegerKernel* integer_kernel_avx2() { return nullptr; }

#endif

}  // namespace billow
