// Inference of the networks in a frame: from bone positions to coefficients of a basis.
#pragma once

#include "net/matrix.h"

namespace billow {

enum class ActivationKind : uint32_t { kRelu, kTanh, kGelu };

inline constexpr uint32_t kMaxLayers = 8;

// Multi-layer perceptron with a linear path beside it. Immutable; points into the garment file.
//   z = (d - mean) * scale
//   c = linear z + b + W_n f(... f(W_1 z + b_1) ...) + b_n
// It may be several networks of the same shape: then each matrix has the rows of all networks, one network
// after another, and the vectors of one network begin `vector_stride` floats after those of the network
// before.
struct Mlp {
  uint32_t inputs = 0, outputs = 0, layers = 0;
  ActivationKind activation = ActivationKind::kTanh;
  const float *mean = nullptr, *scale = nullptr;  // of the inputs d
  PackedMatrix layer[kMaxLayers];
  const float* bias[kMaxLayers] = {};
  PackedMatrix linear;                 // no rows: no linear path
  const float* linear_bias = nullptr;  // null: no bias
  size_t vector_stride = 0;
  // Derived by precompute().
  bool linear_as_first =
      false;                  // linear path and first layer store the same columns: quantise z once for both
  bool whole_panels = false;  // all matrices are int8 with row scales, and their rows fill whole panels

  // The largest size of a vector between two layers, and the largest number of stored columns of a matrix.
  uint32_t widest() const;
  uint32_t max_stored_columns() const;
};

void precompute(Mlp& networks);

// Scratch of one inference. Each array has Mlp::widest() floats and one panel more, initially zeros.
struct InferScratch {
  QuantisedVector quantised;
  float *inputs = nullptr, *values = nullptr, *linear = nullptr;
};

// One inference. With `layers` false only the linear path is evaluated.
struct InferItem {
  size_t network = 0;
  const float* inputs = nullptr;
  float* coefficients = nullptr;  // padded to a multiple of kLanes
  bool layers = true;
};

// Runs up to kInferBatch inferences in lockstep, each with its own scratch, so that their latencies overlap.
// The result of an item does not depend on the others.
inline constexpr size_t kInferBatch = 8;
void infer(const Mlp& networks, const InferItem* items, size_t count, const InferScratch* scratches);

}  // namespace billow
