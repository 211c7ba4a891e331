// GPTQ (Frantar et al. 2022): rounds a row of weights column by column. The rounding error of each column is fed back into the
// columns that are still to be rounded, through the inverse of the Hessian H = E[x x^T] of the layer's squared output error
// with inputs x. An extension of Optimal Brain Surgeon (Hassibi and Stork 1993) to quantisation.
//
// Weights are int8. Some columns may be int16, stored as int8 and an int8 residual; these are rounded last, so that they
// absorb the error of all others.
#pragma once

#include <Eigen/Core>
#include <vector>

namespace billow::pack {

using SquareMatrix = Eigen::MatrixXd;
using ColumnOrder = std::vector<Eigen::Index>;  // columns in the order of rounding

inline constexpr double kInt8Max = 127;
inline constexpr double kStepsPerInt8Step = 254;  // int16 steps in an int8 step

// The upper Cholesky factor of the inverse Hessian, with rows and columns in the order of rounding.
SquareMatrix inverse_hessian_factor(const SquareMatrix& hessian, const ColumnOrder& order);

// Rounds a row in place to multiples of its columns' steps, with at most 127 steps. The last `int16_count` columns of the order
// take 254ths of a step.
void gptq_row(const SquareMatrix& factor, const ColumnOrder& order, Eigen::Index int16_count,
              const Eigen::RowVectorXd& steps, Eigen::Ref<Eigen::RowVectorXd> row);

}  // namespace billow::pack
