#include "learn/patch_basis.h"

#include <algorithm>

#include "learn/pca.h"

namespace billow::learn {
namespace {

using Eigen::Index;

// The basis needs hardly more frames than these: neighbours in time hardly differ.
constexpr Index kFrames = 2000;

using Points = Eigen::Matrix<float, Eigen::Dynamic, 3, Eigen::RowMajor>;
using Directions = Eigen::Matrix<float, Eigen::Dynamic, 3, Eigen::ColMajor>;

Eigen::Map<const Points> points(const float* x, Index count) { return {x, count, 3}; }

}  // namespace

Matrix PatchBasis::project(const Matrix& cloth) const {
  Matrix out(cloth.rows(), coefficients());
  for (Index f = 0; f < cloth.rows(); ++f)
    Eigen::Map<Directions>(out.row(f).data(), components(), 3).noalias() =
        modes * (points(cloth.row(f).data(), modes.cols()) - points(mean.data(), modes.cols()));
  return out;
}

Matrix PatchBasis::expand(const Matrix& coefficients) const {
  Matrix out(coefficients.rows(), mean.size());
  for (Index f = 0; f < out.rows(); ++f)
    Eigen::Map<Points>(out.row(f).data(), modes.cols(), 3).noalias() =
        modes.transpose() * Eigen::Map<const Directions>(coefficients.row(f).data(), components(), 3) +
        points(mean.data(), modes.cols());
  return out;
}

PatchBasis fit_patch_basis(Eigen::Ref<const Matrix> cloth, size_t components) {
  // An odd number: every other row may be a mirror image.
  const Index every = cloth.rows() / kFrames | 1, vertices = cloth.cols() / 3;
  Matrix some((cloth.rows() + every - 1) / every, cloth.cols());
  for (Index i = 0; i < some.rows(); ++i) some.row(i) = cloth.row(i * every);
  PatchBasis b;
  b.mean = some.cast<double>().colwise().mean().cast<float>();
  some.rowwise() -= b.mean.transpose();
  // All x, y and z are examples alike of how vertices move together.
  const Rows rows{3 * static_cast<size_t>(some.rows()), static_cast<size_t>(vertices),
                  [&](size_t first, Eigen::Ref<Matrix> out) {
                    for (Index i = 0; i < out.rows(); ++i) {
                      const Index at = static_cast<Index>(first) + i;
                      out.row(i) = points(some.row(at / 3).data(), vertices).col(at % 3).transpose();
                    }
                  }};
  PcaOptions options;
  options.components = std::min(components, static_cast<size_t>(vertices));
  options.more = 12;
  options.threads = 1;
  const Matrix found = principal_components(rows, options).basis.modes;
  b.modes = Matrix::Zero(static_cast<Index>(components), vertices);
  b.modes.topRows(found.rows()) = found;
  some.rowwise() += b.mean.transpose();
  b.deviation = b.project(some).cwiseAbs2().colwise().mean().cwiseSqrt();
  return b;
}

}  // namespace billow::learn
