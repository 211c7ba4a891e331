// What is learnt: two bases, and for each a network from the displacements of all bones to its coefficients.
//
//   z = (d - mean) * scale                     d: of all bones, from rest, without the key joint's motion
//   c = linear z + bias + W3 f(W2 f(W1 z + b1) + b2) + b3      either half may be missing
//   displacement of the cloth = mean + B c     skinning, and on top of it shape
#pragma once

#include <Eigen/Core>
#include <string>
#include <vector>

namespace billow::learn {

// Rows are frames or outputs; values of one frame stand together.
using Matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Vector = Eigen::VectorXf;

// Orthonormal modes about a mean: the rows of `modes`.
struct Basis {
  Vector mean;       // values
  Matrix modes;      // components x values
  Vector deviation;  // of the coefficients over the frames it was made from, falling

  Eigen::Index components() const { return modes.rows(); }
  Eigen::Index values() const { return mean.size(); }
  // Frames a row: values to coefficients, and back.
  Matrix project(const Matrix& frames) const;
  Matrix expand(const Matrix& coefficients) const;
};

enum class Activation { kRelu, kTanh, kGelu };
const char* name_of(Activation activation);
// Throws std::invalid_argument with the names there are.
Activation activation_named(const std::string& name);

struct Layer {
  Matrix weights;  // outputs x inputs
  Vector bias;
};

struct Network {
  Vector mean, scale;         // of the inputs
  Matrix linear;              // outputs x inputs; empty: none, as in the paper
  Vector bias;                // of the linear part; empty: none. (A last layer has its own.)
  std::vector<Layer> layers;  // empty: the linear part only
  Activation activation = Activation::kTanh;

  // Frames a row.
  Matrix operator()(const Matrix& inputs) const;
  // The same in steps: inputs as all else sees them, and the values behind a layer, from those before it.
  Matrix centered(const Matrix& inputs) const;
  Matrix after(size_t layer, const Matrix& values) const;
};

struct Stage {
  Basis basis;
  Network network;
};

struct Model {
  Stage skinning, shape;  // shape may be empty: no modes

  // Displacements of the cloth, frames a row.
  Matrix skinned(const Matrix& bones) const;
  Matrix operator()(const Matrix& bones) const;
};

}  // namespace billow::learn
