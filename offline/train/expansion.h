// Vertices from coefficients: x = base + B^T c, where some coefficients are learnt and others, of a stage before, are
// given. What looks at vertices shares one.
#pragma once

#include "learn/model.h"

namespace billow::train {

using learn::Matrix;
using learn::Vector;

struct Expansion {
  Vector base;          // places of the vertices where all coefficients are zero
  Matrix rows;          // the modes, transposed: values x (given and learnt coefficients)
  Eigen::Index learnt;  // coefficients: the last of each row

  // Throws std::invalid_argument for modes of other sizes. `frozen` may be empty.
  Expansion(Vector base, const Matrix& learnt_modes, const Matrix& frozen_modes = {});

  size_t vertices() const { return static_cast<size_t>(base.size()) / 3; }
  // Coefficients of all modes, a row a frame. `frozen` may be empty.
  Matrix joined(const Matrix& learnt_coefficients, const Matrix& frozen) const;
};

}  // namespace billow::train
