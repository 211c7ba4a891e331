// Networks for one frame: from where bones are to coefficients of a basis.
#pragma once

#include "net/matrix.h"

namespace billow {

enum class ActivationKind : uint32_t { kRelu, kTanh, kGelu };

inline constexpr uint32_t kMaxLayers = 8;

// Immutable; points into the file.
//   z = (d - mean) * scale
//   c = linear z + b + W_n f(... f(W_1 z + b_1) ...) + b_n
// One network, or several alike: then the rows of their matrices stand behind each other's, and their vectors `numbers` apart.
struct Mlp {
  uint32_t inputs = 0, outputs = 0, layers = 0;
  ActivationKind activation = ActivationKind::kTanh;
  const float *mean = nullptr, *scale = nullptr;  // of the inputs
  PackedMatrix layer[kMaxLayers];
  const float* bias[kMaxLayers] = {};
  PackedMatrix linear;                 // no rows: none
  const float* linear_bias = nullptr;  // null: none
  size_t numbers = 0;
  // What follows from these: precompute.
  bool linear_as_first = false;  // the linear path stores the same columns as the first layer
  bool whole_panels = false;     // all matrices are of integers, of whole panels of rows with scales

  // The most numbers that stand between two layers, and the most columns that any matrix stores.
  uint32_t widest() const;
  uint32_t most_stored() const;
};

void precompute(Mlp& networks);

// Room for one inference: each has Mlp::widest() numbers and a panel more, and begins as zeros.
struct InferScratch {
  QuantisedVector quantised;
  float *inputs = nullptr, *values = nullptr, *linear = nullptr;
};

// What one of the networks is asked, by its number. `layers` false leaves these out: only the linear half.
struct InferItem {
  size_t which = 0;
  const float* inputs = nullptr;
  float* coefficients = nullptr;  // with room for whole groups of lanes
  bool layers = true;
};

// Up to so many at a time, each with a room of its own: while one waits for what it was just about to know, another works. What
// comes out of one has nothing to do with the others.
inline constexpr size_t kInferBatch = 8;
void infer(const Mlp& networks, const InferItem* items, size_t count, const InferScratch* scratches);

}  // namespace billow
