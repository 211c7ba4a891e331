#include "net/integer_sums.h"

#include "core/processor.h"
#include "net/integer_kernel.h"

namespace billow {
namespace {

struct PlainProducts {
  template <int kPanels>
  static void of(const int8_t* at, size_t stride, size_t, uint32_t columns, const QuantisedVector& quantised,
                 int32_t* out) {
    for (int p = 0; p < kPanels; ++p, at += stride, out += kPanelRows) {
      uint32_t sums[kPanelRows] = {};
      const int8_t* row = at;
      for (uint32_t k = 0; k < columns; k += 8)
        for (uint32_t r = 0; r < kPanelRows; ++r, row += 8) {
          int32_t sum = 0;
          for (uint32_t j = 0; j < 8; ++j) sum += row[j] * quantised.q16[k + j];
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
  const auto add = [&](const IntegerKernel* kernel, bool has) {
    if (kernel && has) found.by_speed[count++] = kernel;
  };
  const billow_processor& has = billow_this_processor;
  add(integer_kernel_i8mm(), has.matrix_product);
  add(integer_kernel_dotprod(), has.dot_product);
  add(integer_kernel_vnni(), has.vnni);
  add(integer_kernel_avx2(), true);
  add(integer_kernel_pairs(), true);
  add(integer_kernel_plain(), true);
  return found;
}

const IntegerKernel& best_integer_kernel() { return *find_integer_kernels().by_speed[0]; }

}  // namespace billow
