#include "pack/quantise_row.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>

namespace billow::pack {

using Eigen::Index;

Square factor_of(const Square& spread, const Order& order) {
  const Index n = spread.rows();
  Square ordered(n, n);
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < n; ++j)
      ordered(i, j) = spread(order[static_cast<size_t>(i)], order[static_cast<size_t>(j)]);
  const Square inverse = ordered.llt().solve(Square::Identity(n, n));
  return inverse.llt().matrixU();
}

void quantise_row(const Square& factor, const Order& order, Index fine, const Eigen::RowVectorXd& steps,
                  Eigen::Ref<Eigen::RowVectorXd> row) {
  const Index n = row.size();
  Eigen::RowVectorXd left(n);
  for (Index c = 0; c < n; ++c) left[c] = row[order[static_cast<size_t>(c)]];
  for (Index c = 0; c < n; ++c) {
    const Index column = order[static_cast<size_t>(c)];
    const double finer = c >= n - fine ? kFiner : 1, most = kByteSteps * finer, step = steps[column] / finer;
    const double value = std::clamp(std::nearbyint(left[c] / step), -most, most) * step;
    row[column] = value;
    left.tail(n - c) -= (left[c] - value) / factor(c, c) * factor.row(c).tail(n - c);
  }
}

}  // namespace billow::pack
