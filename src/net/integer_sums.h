// The integer part of a matrix-vector product, for a run of panels: int8 weights times int16 activations,
// summed exactly in int32.
#pragma once

#include "net/matrix.h"

namespace billow {

struct PanelRun {
  const std::byte* first;  // the int8 columns of the first panel
  size_t stride;           // bytes from one panel to the next
  uint32_t count;          // of panels
  uint32_t columns;        // stored int8 columns, a multiple of 8
  // Prefetch distance: bytes ahead of the read position. The hardware alone starts to fetch a block of some
  // kilobytes only when half of it has been read.
  size_t prefetch;
};

// How the sums of a layer become its outputs: out = f(sum * q_scale * scale + bias).
struct LayerRows {
  float q_scale;
  const float *scales, *bias;  // per row
  float* out;
};
// What a layer ends with: an activation, in the order of ActivationKind; the bias only; the scales only, no
// bias.
enum LayerFunction { kRelu, kTanh, kGelu, kBiasOnly, kScaleOnly, kLayerFunctions };

// The kernels for one processor family. All give the same bits: sums would wrap around on overflow, but
// quantisation_scale() excludes overflow.
struct IntegerKernel {
  void (*sums)(const PanelRun& run, const QuantisedVector& quantised, int32_t* sums);  // kPanelRows per panel
  // A layer in one pass. Returns the largest absolute value of its outputs, or NaN if one is NaN.
  float (*layers[kLayerFunctions])(const PanelRun& run, const QuantisedVector& quantised,
                                   const LayerRows& rows);
};

// All kernels that this processor supports, fastest first, then nulls.
struct IntegerKernels {
  const IntegerKernel* by_speed[6];
};
IntegerKernels find_integer_kernels();
const IntegerKernel& best_integer_kernel();

// ARM matrix products (I8MM), ARM dot products, AVX-512 VNNI, AVX2, and any 128-bit SIMD (pairs.h); null
// where not compiled in.
const IntegerKernel* integer_kernel_i8mm();
const IntegerKernel* integer_kernel_dotprod();
const IntegerKernel* integer_kernel_vnni();
const IntegerKernel* integer_kernel_avx2();
const IntegerKernel* integer_kernel_pairs();
// Plain C++, always there.
const IntegerKernel* integer_kernel_plain();

}  // namespace billow
