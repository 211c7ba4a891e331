// Subproblems of smooth skinning decomposition: convex weights and weighted rigid registration.
#pragma once

#include <Eigen/Dense>
#include <vector>

namespace billow::garment {

// Convex weights that minimise |sum w_j c_j|^2, given the Gram matrix of the columns c: the point of their
// convex hull nearest to the origin (Wolfe, "Finding the nearest point in a polytope", 1976).
Eigen::VectorXd nearest_in_hull(const Eigen::MatrixXd& products);

// A rotation followed by a translation.
struct Rigid {
  Eigen::Matrix3d rotation = Eigen::Matrix3d::Identity();
  Eigen::Vector3d translation = Eigen::Vector3d::Zero();
  Eigen::Vector3d operator*(const Eigen::Vector3d& p) const { return rotation * p + translation; }
};

// Accumulates points p, weights w and targets q; solve() returns the rigid motion that minimises the sum of
// |w (R p + t) - q|^2 (Le and Deng 2012, section 4.2).
class Procrustes {
 public:
  void add(double w, const Eigen::Vector3d& p, const Eigen::Vector3d& q) {
    weight_ += w * w;
    from_ += w * w * p;
    to_ += w * q;
    product_ += w * p * q.transpose();
  }
  Rigid solve() const;
  double weight() const { return weight_; }

 private:
  double weight_ = 0;
  Eigen::Vector3d from_ = Eigen::Vector3d::Zero(), to_ = Eigen::Vector3d::Zero();
  Eigen::Matrix3d product_ = Eigen::Matrix3d::Zero();
};

}  // namespace billow::garment
