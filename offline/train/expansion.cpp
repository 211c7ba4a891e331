#include "train/expansion.h"

#include <stdexcept>
#include <string>

namespace billow::train {

Expansion::Expansion(Vector places, const Matrix& learnt_modes, const Matrix& frozen_modes)
    : base(std::move(places)), learnt(learnt_modes.rows()) {
  for (const Matrix* modes : {&learnt_modes, &frozen_modes})
    if (modes->size() > 0 && modes->cols() != base.size())
      throw std::invalid_argument("expansion: expected modes of " + std::to_string(base.size()) +
                                  " values, found " + std::to_string(modes->cols()));
  rows.resize(base.size(), frozen_modes.rows() + learnt);
  rows.leftCols(frozen_modes.rows()) = frozen_modes.transpose();
  rows.rightCols(learnt) = learnt_modes.transpose();
}

Matrix Expansion::joined(const Matrix& learnt_coefficients, const Matrix& frozen) const {
  Matrix all(learnt_coefficients.rows(), rows.cols());
  if (frozen.size() > 0) all.leftCols(frozen.cols()) = frozen;
  all.rightCols(learnt) = learnt_coefficients;
  return all;
}

}  // namespace billow::train
