// A garment's networks and bases as batched tensors: those of all patches stacked and padded to one size.
//
//   x                         the input features, one row per patch
//   z = (x - mean) * scale
//   c = z linear + bias + f(... f(z W1 + b1) ...) Wk + bk      along, across and normal of all components
//   directions = c rotation, origin, rotation                  one row per column of the basis
//   corner = basis directions                                  one row per vertex of a patch
//   vertex = the sum of its corners over patches
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "learn/patch_model.h"

namespace billow::peers {

struct Tensor {  // row-major
  std::vector<int64_t> shape;
  std::vector<float> values;
};

struct PatchTensors {
  int64_t patches = 0, inputs = 0, coefficients = 0, corners = 0, vertices = 0, sharing = 0;
  Tensor mean, scale;                   // patches x 1 x inputs
  Tensor linear, bias;                  // patches x inputs x coefficients, patches x 1 x coefficients
  std::vector<Tensor> weights, biases;  // of each layer, with the same layout
  Tensor basis;                         // patches x corners x columns
  std::vector<int64_t> corners_of;      // vertices x sharing: indices of corners
};

// Throws std::runtime_error unless the garment has patch networks with gelu, the only ones that the peers
// support.
learn::PatchModel read_patch_model(const std::filesystem::path& file);
PatchTensors make_tensors(const learn::PatchModel& model);

// The inputs of one frame, and the expected vertices by the reference implementation.
struct PeerFrame {
  Tensor features, rotation, origin;  // patches x 1 x inputs, patches x 3 x 3, patches x 1 x 3
  std::vector<float> vertices;        // positions
};
PeerFrame make_frame(const learn::PatchModel& model);
// The largest error of any coordinate, in mm. Times of a peer with wrong results are not reported.
double max_error_mm(const PeerFrame& frame, const float* vertices);

}  // namespace billow::peers
