// How the cloth of a patch may lie. A component is one number for each vertex, and its coefficient a direction: so a third of the
// numbers hold what a component with three numbers for each vertex and a single coefficient would, and a patch that turns turns its coefficients,
// not its vertices.
#pragma once

#include "learn/model.h"

namespace billow::learn {

struct PatchBasis {
  Vector mean;       // x y z of each vertex
  Matrix modes;      // components x vertices, orthonormal; those that there are too few vertices for are 0
  Vector deviation;  // of the coefficients over the frames it was made from

  Eigen::Index components() const { return modes.rows(); }
  // The x of all components, their y, their z.
  Eigen::Index coefficients() const { return 3 * modes.rows(); }
  // Frames a row: x y z of each vertex to coefficients, and back.
  Matrix project(const Matrix& cloth) const;
  Matrix expand(const Matrix& coefficients) const;
};

// Of frames a row. Throws std::invalid_argument where there are none.
PatchBasis fit_patch_basis(Eigen::Ref<const Matrix> cloth, size_t components);

}  // namespace billow::learn
