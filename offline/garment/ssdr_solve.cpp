#include "garment/ssdr_solve.h"

namespace billow::garment {

Eigen::VectorXd nearest_in_hull(const Eigen::MatrixXd& products) {
  const Eigen::Index n = products.rows();
  // Nearly equal columns would make the system singular.
  const double ridge = 1e-10 * (products.trace() / static_cast<double>(n)) + 1e-300;
  Eigen::VectorXd w = Eigen::VectorXd::Zero(n);
  Eigen::Index best = 0;
  products.diagonal().minCoeff(&best);
  w[best] = 1;
  std::vector<Eigen::Index> active{best};
  for (Eigen::Index round = 0; round < 4 * n + 8; ++round) {
    // Activate the column of steepest descent.
    const Eigen::VectorXd gradient = products * w;
    const double square = w.dot(gradient);
    Eigen::Index next = 0;
    const double steepest = gradient.minCoeff(&next);
    if (!(steepest < square * (1 - 1e-9)) || w[next] > 0) return w;
    active.push_back(next);
    // Solve for the active set. While a weight is negative, step to where the first becomes 0 and drop it.
    while (true) {
      const auto m = static_cast<Eigen::Index>(active.size());
      Eigen::MatrixXd part(m, m);
      for (Eigen::Index a = 0; a < m; ++a)
        for (Eigen::Index b = 0; b < m; ++b)
          part(a, b) =
              products(active[static_cast<size_t>(a)], active[static_cast<size_t>(b)]) + (a == b ? ridge : 0);
      Eigen::VectorXd y = part.ldlt().solve(Eigen::VectorXd::Ones(m));
      y /= y.sum();
      if (!y.allFinite()) return w;
      double share = 1;
      for (Eigen::Index a = 0; a < m; ++a) {
        const double now = w[active[static_cast<size_t>(a)]];
        if (y[a] < 0) share = std::min(share, now / (now - y[a]));
      }
      for (Eigen::Index a = 0; a < m; ++a) {
        double& now = w[active[static_cast<size_t>(a)]];
        now = (1 - share) * now + share * y[a];
      }
      if (share == 1) break;
      std::erase_if(active, [&](Eigen::Index a) {
        if (w[a] > 1e-14) return false;
        w[a] = 0;
        return true;
      });
    }
  }
  return w;
}

Rigid Procrustes::solve() const {
  if (!(weight_ > 0)) return {};
  const Eigen::Vector3d from = from_ / weight_, to = to_ / weight_;
  // sum w (p - from) (q - w to)^T
  const Eigen::Matrix3d product =
      product_ - from * to_.transpose() - from_ * to.transpose() + weight_ * from * to.transpose();
  const Eigen::JacobiSVD<Eigen::Matrix3d> svd(product, Eigen::ComputeFullU | Eigen::ComputeFullV);
  Eigen::Matrix3d flip = Eigen::Matrix3d::Identity();
  flip(2, 2) = (svd.matrixV() * svd.matrixU().transpose()).determinant() < 0 ? -1 : 1;
  Rigid out;
  out.rotation = svd.matrixV() * flip * svd.matrixU().transpose();
  out.translation = to - out.rotation * from;
  return out;
}

}  // namespace billow::garment
