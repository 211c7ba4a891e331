// Trains the runtime's small networks (sdf/neural.h) to the signed distance of closed meshes. Metres.
//
// Hand-written rather than by a library: a network has a few hundred weights, so that a library's calls would cost
// more than its arithmetic, and this way training gives the same network on every machine.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "body/mesh.h"

namespace billow::fit {

// A trained network, in the frame of its mesh.
struct NeuralSdf {
  std::vector<float> weights;  // as billow_neural_sdf has them
  uint32_t width = 0;
  V3 half{0, 0, 0};  // the box about the origin that it knows
  float margin = 0;  // m, the surface is at least so far inside the box
};

struct TrainOptions {
  uint32_t width = 16;    // units of a hidden layer
  float margin = 0.04f;   // m, how far outside the surface the network has to know
  size_t points = 24000;  // it learns from
  size_t steps = 30000;   // of Adam
  float eikonal = 0.02f;  // weight of (|gradient| - 1)^2 beside squared distances in decimetres
  uint32_t seed = 1;
  // Called now and then with the share that is done.
  std::function<void(double)> progress;
};

// Throws std::invalid_argument for a mesh that is not closed or options out of range.
NeuralSdf train_network(const body::Mesh& mesh, const TrainOptions& options = {});

}  // namespace billow::fit
