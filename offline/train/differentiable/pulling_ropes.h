// The one linear system behind tensions and impulses (rope/solver.h): the smallest T >= 0 with A T >= b on the taut ropes.
#pragma once

#include "train/differentiable/tensor_math.h"

namespace billow::train::differentiable {

// Along the last dimension, from the first rope of a chain to the last: diagonal, coupling to the next rope (its last entry is not
// used), right-hand side, and which ropes are taut (bool). Returns T. Which of them pull is found by the runtime's active-set
// method on the processor; the gradient is that of their linear system.
Tensor solve_ropes(const Tensor& diagonal, const Tensor& next, const Tensor& rhs, const Tensor& taut);

// The same matrix without that condition: x with A x = b.
Tensor solve_tridiagonal(const Tensor& diagonal, const Tensor& next, const Tensor& rhs);

}  // namespace billow::train::differentiable
