// The integer part of a product: sums of steps times stored integers, for panels that stand behind each other.
#pragma once

#include "net/matrix.h"

namespace billow {

struct PanelRun {
  const std::byte* first;  // where the integers of the first panel begin
  size_t stride;           // from one panel to the next
  uint32_t count;
  uint32_t columns;  // stored ones, whole eights
  // What is fetched while these panels are worked on: as many bytes, from so far behind what is read on. Left alone, a
  // processor begins to fetch a block of some kilobytes when it is half read.
  size_t ahead;
};

// What the sums of a layer become: out = f(sum * step * scale + bias).
struct LayerRows {
  float q_scale;
  const float *scales, *bias;  // one a row
  float* out;
};
// Functions of a layer: those between layers in the order of ActivationKind, the bias alone, and nothing, not even that.
enum LayerFunction { kRelu, kTanh, kGelu, kBiasOnly, kScaleOnly, kLayerFunctions };

// What a processor's instructions make of panels. Sums wrap as unsigned integers do, but steps are chosen so that they never
// reach that: so all of them give the same bits.
struct IntegerKernel {
  void (*sums)(const PanelRun& run, const QuantisedVector& quantised, int32_t* sums);  // eight a panel
  // A layer in one pass; returns how large its largest row is, NaN where one is none.
  float (*layers[kLayerFunctions])(const PanelRun& run, const QuantisedVector& quantised,
                                   const LayerRows& rows);
};

// All that this processor has, the fastest first, and then nulls.
struct IntegerKernels {
  const IntegerKernel* by_speed[6];
};
IntegerKernels find_integer_kernels();
const IntegerKernel& best_integer_kernel();

// By ARM's products of matrices, by its dot products, by those of AVX-512, by AVX2, by four lanes on any processor; null where they were
// not built.
const IntegerKernel* integer_kernel_i8mm();
const IntegerKernel* integer_kernel_dotprod();
const IntegerKernel* integer_kernel_vnni();
const IntegerKernel* integer_kernel_avx2();
const IntegerKernel* integer_kernel_pairs();
// And without any such instructions.
const IntegerKernel* integer_kernel_plain();

}  // namespace billow
