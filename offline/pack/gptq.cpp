#include "pack/gptq.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>

namespace billow::pack {

using Eigen::Index;

SquareMatrix inverse_hessian_factor(const SquareMatrix& hessian, const ColumnOrder& order) {
  const Index n = hessian.rows();
  SquareMatrix ordered(n, n);
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < n; ++j)
      ordered(i, j) = hessian(order[static_cast<size_t>(i)], order[static_cast<size_t>(j)]);
  const SquareMatrix inverse = ordered.llt().solve(SquareMatrix::Identity(n, n));
  return inverse.llt().matrixU();
}

void gptq_row(const SquareMatrix& factor, const ColumnOrder& order, Index int16_count,
              const Eigen::RowVectorXd& steps, Eigen::Ref<Eigen::RowVectorXd> row) {
  const Index n = row.size();
  Eigen::RowVectorXd remaining(n);
  for (Index c = 0; c < n; ++c) remaining[c] = row[order[static_cast<size_t>(c)]];
  for (Index c = 0; c < n; ++c) {
    const Index column = order[static_cast<size_t>(c)];
    const double subdivision = c >= n - int16_count ? kStepsPerInt8Step : 1, limit = kInt8Max * subdivision,
                 step = steps[column] / subdivision;
    const double value = std::clamp(std::nearbyint(remaining[c] / step), -limit, limit) * step;
    row[column] = value;
    // Feed the error back into the remaining columns (Algorithm 1 of GPTQ, without blocks).
    remaining.tail(n - c) -= (remaining[c] - value) / factor(c, c) * factor.row(c).tail(n - c);
  }
}

}  // namespace billow::pack
