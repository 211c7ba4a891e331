// Bases and networks of the whole-cloth model (the paper's form), and the correction of rope bones.
//
//   z = (d - mean) * scale                     d: displacements of all bones from rest, without the key joint's motion
//   c = linear z + bias + W3 f(W2 f(W1 z + b1) + b2) + b3      linear path and layers are each optional
//   displacement of the cloth = mean + B c     skinning, plus the same for shape
#pragma once

#include <Eigen/Core>
#include <array>
#include <string>
#include <vector>

#include "decode/linear_blend.h"

namespace billow::learn {

// Row-major. Rows are frames or outputs.
using Matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Vector = Eigen::VectorXf;

// A PCA basis: orthonormal modes (the rows of `modes`) about a mean.
struct Basis {
  Vector mean;       // values
  Matrix modes;      // components x values
  Vector deviation;  // standard deviation of each coefficient over the fitted frames, in descending order

  Eigen::Index components() const { return modes.rows(); }
  Eigen::Index values() const { return mean.size(); }
  // Values to coefficients and back, one frame a row.
  Matrix project(const Matrix& frames) const;
  Matrix expand(const Matrix& coefficients) const;
};

enum class Activation { kRelu, kTanh, kGelu };
const char* name_of(Activation activation);
// Throws std::invalid_argument with the valid names.
Activation activation_named(const std::string& name);

struct Layer {
  Matrix weights;  // outputs x inputs
  Vector bias;
};

struct Network {
  Vector mean, scale;         // standardisation of the inputs
  Matrix linear;              // outputs x inputs; empty: no linear path, as in the paper
  Vector bias;                // bias of the linear path; empty: none. (The last layer has its own bias.)
  std::vector<Layer> layers;  // empty: linear path only
  Activation activation = Activation::kTanh;

  // One frame a row.
  Matrix operator()(const Matrix& inputs) const;
  // Parts of the forward pass: z of the inputs, and the output of one layer.
  Matrix standardised(const Matrix& inputs) const;
  Matrix layer_output(size_t layer, const Matrix& values) const;
};

struct Stage {
  Basis basis;
  Network network;
};

struct Model {
  Stage skinning, shape;  // shape may have no modes

  // Displacements of the cloth, one frame a row.
  Matrix skinned(const Matrix& bones) const;
  Matrix operator()(const Matrix& bones) const;
};

// Limits the correction on motions unlike those of the training data.
inline constexpr float kMaxCorrection = 0.3f;  // m a bone

// Adds the output of `correction` to rope bones, clamped to kMaxCorrection, as the runtime does in each frame. One frame a
// row, three values a bone. Returns `ropes` where the network has neither layers nor linear path.
Matrix corrected(const Network& correction, const Matrix& ropes);

// Weights of linear blend skinning for one vertex: not negative, with a sum of 1.
struct BlendWeights {
  std::array<uint32_t, kBonesPerVertex> bones{};
  std::array<float, kBonesPerVertex> weights{1, 0, 0, 0};
};

}  // namespace billow::learn
