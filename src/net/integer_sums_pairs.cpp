// Integer sums by int16 products with 128-bit SIMD.
#include "net/integer_kernel.h"
#include "net/pairs.h"

namespace billow {

#if defined(BILLOW_SIMD_SCALAR)

const IntegerKernel* integer_kernel_pairs() { return nullptr; }

#else

namespace {

using namespace pairs;

// The sums of four rows.
struct RowSums {
  I32 row0 = zero_sums(), row1 = zero_sums(), row2 = zero_sums(), row3 = zero_sums();

  BILLOW_ALWAYS_INLINE void add_eight(const int8_t* at, I16 q16) {
    row0 = add(row0, dot(load_widened(at), q16));
    row1 = add(row1, dot(load_widened(at + 8), q16));
    row2 = add(row2, dot(load_widened(at + 16), q16));
    row3 = add(row3, dot(load_widened(at + 24), q16));
  }
  BILLOW_ALWAYS_INLINE void finish(int32_t* out) const {
    store(out, add_pairwise(add_pairwise(row0, row1), add_pairwise(row2, row3)));
  }
};

struct PairProducts {
  template <int kPanels>
  static BILLOW_ALWAYS_INLINE void of(const int8_t* at, size_t stride, size_t, uint32_t columns,
                                      const QuantisedVector& quantised, int32_t* out) {
    for (int p = 0; p < kPanels; ++p, at += stride, out += kPanelRows) {
      RowSums upper, lower;
      const int8_t* block = at;
      for (uint32_t k = 0; k < columns; k += 8, block += 8 * kPanelRows) {
        const I16 q16 = load_q16(quantised, k);
        upper.add_eight(block, q16);
        lower.add_eight(block + 4 * kPanelRows, q16);
      }
      upper.finish(out);
      lower.finish(out + 4);
    }
  }
};

}  // namespace

const IntegerKernel* integer_kernel_pairs() { return &IntegerKernelOf<PairProducts>::kernel; }

#endif

}  // namespace billow
