#include "research/whole_cloth/bases.h"

#include <Eigen/Dense>

namespace billow::research {

using learn::Matrix;

learn::Rows residual_rows(const learn::Frames& frames, std::vector<uint32_t> which, const Matrix& bones,
                          const learn::Stage& stage) {
  learn::Rows rows = cloth_rows(frames, std::move(which));
  // Predict the coefficients of all frames at once: they take little memory.
  rows.fill = [cloth = std::move(rows.fill), basis = stage.basis, c = stage.network(bones)](
                  size_t first, Eigen::Ref<Matrix> out) {
    cloth(first, out);
    out -= basis.expand(c.middleRows(static_cast<Eigen::Index>(first), out.rows()));
  };
  return rows;
}

learn::Basis joined(const learn::Basis& a, const learn::Basis& b) {
  if (b.components() == 0) return a;
  // Project a's span out of b's modes, and drop those that vanish.
  const Matrix remainder = b.modes - (b.modes * a.modes.transpose()) * a.modes;
  const Eigen::ColPivHouseholderQR<Eigen::MatrixXf> qr(remainder.transpose());
  Eigen::Index extra = 0;
  while (extra < b.components() && std::abs(qr.matrixR()(extra, extra)) > 1e-4f) ++extra;
  learn::Basis out;
  out.mean = a.mean + b.mean;
  out.modes.resize(a.components() + extra, a.values());
  out.modes.topRows(a.components()) = a.modes;
  out.modes.bottomRows(extra) =
      (qr.householderQ() * Eigen::MatrixXf::Identity(a.values(), extra)).transpose();
  return out;
}

}  // namespace billow::research
