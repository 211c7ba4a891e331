#include "net/avx2.h"
#include "net/panels_side_by_side.h"

namespace billow {

#if defined(BILLOW_SIMD_AVX2)

namespace {

struct Sums : avx2::PanelSums<avx2::Products> {};

}  // namespace

const IntegerKernel* integer_kernel_avx2() { return &IntegerKernelOf<PanelsSideBySide<Sums>>::kernel; }

#else

const IntegerKernel* integer_kernel_avx2() { return nullptr; }

#endif

}  // namespace billow
