// A garment's networks and bases as tensor libraries take them: those of all patches stacked, padded to one size.
//
//   x                         a row a patch: what it sees
//   z = (x - mean) * scale
//   c = z linear + bias + f(... f(z W1 + b1) ...) Wk + bk      along, across and off of all components
//   directions = c turn, origin, turn                          a row for each column of the basis
//   corner = basis directions                                  a row for each of a patch's vertices
//   vertex = the sum of its corners
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "learn/patch_model.h"

namespace billow::peers {

// Row-major.
struct Tensor {
  std::vector<int64_t> shape;
  std::vector<float> values;
};

struct PatchTensors {
  int64_t patches = 0, inputs = 0, coefficients = 0, corners = 0, vertices = 0, sharing = 0;
  Tensor mean, scale;                   // patches x 1 x inputs
  Tensor linear, bias;                  // patches x inputs x coefficients, patches x 1 x coefficients
  std::vector<Tensor> weights, biases;  // of the layers, likewise
  Tensor basis;                         // patches x corners x columns
  std::vector<int64_t> corners_of;      // vertices x sharing: which of all corners
};

// Throws std::runtime_error with the file for what is no garment by patches with gelu, which is what the peers know.
learn::PatchModel read_patch_model(const std::filesystem::path& file);
PatchTensors make_tensors(const learn::PatchModel& model);

// One frame to ask the peers for, and what the garment's own numbers make of it in plain code.
struct PeerFrame {
  Tensor features, turn, origin;  // patches x 1 x inputs, patches x 3 x 3, patches x 1 x 3
  std::vector<float> vertices;    // places
};
PeerFrame make_frame(const learn::PatchModel& model);
// The farthest of any coordinate, in mm. Numbers of a peer that are not those of the garment are no figure.
double farthest_mm(const PeerFrame& frame, const float* vertices);

}  // namespace billow::peers
