// Trains the runtime's small networks (sdf/neural.h) to the signed distance of closed meshes. Metres.
//
// Hand-written, without an ML library: a network has a few hundred weights, so the overhead of library calls
// would exceed the arithmetic, and training gives the same network on every machine.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "body/mesh.h"
#include "sdf/neural.h"

namespace billow::fit {

// A trained network, in the frame of its mesh.
struct NeuralSdf {
  std::vector<float> weights;  // as in billow_neural_sdf
  uint32_t width = 0;
  V3 half{0, 0, 0};  // half extents of its domain, a box about the origin
  float margin = 0;  // m, smallest distance of the surface to the boundary of the box
};

struct TrainOptions {
  uint32_t width = 16;    // units per hidden layer
  float margin = 0.04f;   // m, extent of the domain beyond the surface
  size_t points = 24000;  // training points
  size_t steps = 30000;   // of Adam
  float eikonal = 0.02f;  // weight of (|gradient| - 1)^2 relative to squared distances in decimetres
  uint32_t seed = 1;
  // Called from time to time with the completed fraction.
  std::function<void(double)> progress;
};

// Throws std::invalid_argument for a mesh that is not closed or options out of range.
NeuralSdf train_network(const body::Mesh& mesh, const TrainOptions& options = {});

// ---- Internals

// Offsets of the weights in the weight array.
struct NetworkLayout {
  size_t width;
  size_t first(size_t unit) const { return 4 * unit; }
  size_t second(size_t unit) const { return 4 * width + unit * (width + 2); }
  size_t last() const { return second(width); }
  size_t count() const { return last() + 1; }
};

// Accumulates the gradient of
//     weight (f - target)^2 + eikonal (|grad f| - 1)^2
// over points, with respect to the weights of a network f. Four points per SIMD call. Lengths in any unit.
class LossGradient {
 public:
  explicit LossGradient(size_t width) : layout_{width}, sums_(layout_.count(), zero()) {}

  void clear() { sums_.assign(sums_.size(), zero()); }
  // Adds four points; returns their losses.
  F4 add(std::span<const float> weights, V3x4 x, F4 target, F4 weight, float eikonal);
  float sum(size_t weight) const {
    float lanes[4];
    store(lanes, sums_[weight]);
    return (lanes[0] + lanes[1]) + (lanes[2] + lanes[3]);
  }

 private:
  void forward(std::span<const float> weights, V3x4 x);
  void backward(std::span<const float> weights, V3x4 x, F4 loss_by_f, V3x4 loss_by_g);

  NetworkLayout layout_;
  std::vector<F4> sums_;
  // State of the last forward pass: f and its gradient g; activation and its derivative (slope) of each unit;
  // and by_value1_, the derivative of f by the activations of the first layer.
  F4 f_;
  V3x4 g_;
  F4 value1_[kMaxUnits], slope1_[kMaxUnits], by_value1_[kMaxUnits], value2_[kMaxUnits], slope2_[kMaxUnits];
};

}  // namespace billow::fit
