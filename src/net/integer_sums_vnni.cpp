// Compiled for processors with AVX-512 VNNI, whatever the rest of the library is compiled for.
#include "net/avx2.h"
#include "net/panels_side_by_side.h"

namespace billow {

#if defined(__AVX512VNNI__)

namespace {

struct Sums : avx2::PanelSums<avx2::DotProducts> {};

}  // namespace

const IntegerKernel* integer_kernel_vnni() { return &IntegerKernelOf<PanelsSideBySide<Sums>>::kernel; }

#else

const IntegerKernel* integer_kernel_vnni() { return nullptr; }

#endif

}  // namespace billow
