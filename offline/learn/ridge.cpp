#include "learn/ridge.h"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <map>
#include <stdexcept>
#include <string>

#include "parallel.h"

namespace billow::learn {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

// Lower bound of a feature's deviation, as a share of the RMS deviation: features that hardly vary (a bone near the key
// joint) are not amplified.
constexpr double kMinDeviation = 0.01;

// Sufficient statistics of the regression over some rows.
struct MomentSums {
  double count = 0;
  MatrixXd zz, zy;
  VectorXd z, y;

  MomentSums(Index inputs, Index outputs)
      : zz(MatrixXd::Zero(inputs, inputs)),
        zy(MatrixXd::Zero(inputs, outputs)),
        z(VectorXd::Zero(inputs)),
        y(VectorXd::Zero(outputs)) {}
  MomentSums(const MatrixXd& inputs, const MatrixXd& outputs)
      : count(static_cast<double>(inputs.rows())),
        zz(inputs.transpose() * inputs),
        zy(inputs.transpose() * outputs),
        z(inputs.colwise().sum()),
        y(outputs.colwise().sum()) {}
  void add(const MomentSums& s, double times) {
    count += times * s.count;
    zz += times * s.zz, zy += times * s.zy;
    z += times * s.z, y += times * s.y;
  }
};

// Eigendecomposition V diag(variances) V' of the covariance of z, which gives the solution for any penalty:
// W = (V (variances + penalty)^-1 V' cov(z, y))', about the means.
struct RidgeSolver {
  VectorXd mean_in, mean_out, variances;
  MatrixXd eigenvectors, projected;  // projected: V' cov(z, y)

  explicit RidgeSolver(const MomentSums& s) : mean_in(s.z / s.count), mean_out(s.y / s.count) {
    const Eigen::SelfAdjointEigenSolver<MatrixXd> eigen(s.zz / s.count - mean_in * mean_in.transpose());
    variances = eigen.eigenvalues().cwiseMax(0);
    eigenvectors = eigen.eigenvectors();
    projected = eigenvectors.transpose() * (s.zy / s.count - mean_in * mean_out.transpose());
  }
  // V' W'
  MatrixXd solve(double penalty) const {
    // Drop directions without variance, even where the penalty is 0.
    const double min_variance = 1e-14 * variances.maxCoeff();
    const VectorXd inverse =
        variances.unaryExpr([&](double v) { return v + penalty > min_variance ? 1 / (v + penalty) : 0.0; });
    return inverse.asDiagonal() * projected;
  }
};

// Rows of each fold: groups in descending order of size, each to the fold with the fewest rows.
std::vector<std::vector<Index>> assign_folds(std::span<const uint32_t> groups, size_t fold_count) {
  std::map<uint32_t, std::vector<Index>> members;
  for (size_t i = 0; i < groups.size(); ++i) members[groups[i]].push_back(static_cast<Index>(i));
  std::vector<const std::vector<Index>*> order;
  for (const auto& [group, rows] : members) order.push_back(&rows);
  std::stable_sort(order.begin(), order.end(), [](auto* a, auto* b) { return a->size() > b->size(); });
  std::vector<std::vector<Index>> folds(std::min(fold_count, order.size()));
  for (const auto* rows : order) {
    auto& fold = *std::min_element(folds.begin(), folds.end(),
                                   [](const auto& a, const auto& b) { return a.size() < b.size(); });
    fold.insert(fold.end(), rows->begin(), rows->end());
  }
  return folds;
}

// Sum of squared errors on the held-out fold, for each penalty.
std::vector<double> validation_errors(const RidgeSolver& solver, const MatrixXd& z, const MatrixXd& y,
                                      const std::vector<double>& penalties) {
  const MatrixXd inputs = (z.rowwise() - solver.mean_in.transpose()) * solver.eigenvectors;
  const MatrixXd targets = y.rowwise() - solver.mean_out.transpose();
  std::vector<double> out;
  for (const double penalty : penalties)
    out.push_back((inputs * solver.solve(penalty) - targets).squaredNorm());
  return out;
}

}  // namespace

Standardisation standardise(const Matrix& inputs, Scaling scaling) {
  const MatrixXd d = inputs.cast<double>();
  const VectorXd mean = d.colwise().mean();
  const VectorXd variance = (d.rowwise() - mean.transpose()).array().square().colwise().mean();
  const double typical = std::sqrt(variance.mean());
  VectorXd deviation = VectorXd::Constant(mean.size(), typical);
  if (scaling == Scaling::kFeature) deviation = variance.cwiseSqrt().cwiseMax(kMinDeviation * typical);
  return {mean.cast<float>(),
          deviation.unaryExpr([](double s) { return s > 0 ? 1 / s : 1.0; }).cast<float>()};
}

Ridge fit_ridge(const Matrix& inputs, const Matrix& outputs, std::span<const uint32_t> groups,
                const RidgeOptions& options) {
  if (inputs.rows() == 0 || outputs.rows() != inputs.rows() ||
      groups.size() != static_cast<size_t>(inputs.rows()))
    throw std::invalid_argument(
        "ridge: expected equal numbers of inputs, outputs and groups, above 0; found " +
        std::to_string(inputs.rows()) + " inputs, " + std::to_string(outputs.rows()) + " outputs, " +
        std::to_string(groups.size()) + " groups");
  if (options.penalties.empty() || options.folds == 0)
    throw std::invalid_argument("ridge: expected at least one penalty and one fold, found none");

  Ridge ridge;
  Standardisation standard = standardise(inputs, options.scaling);
  if (options.weights.size() > 0) standard.scale.array() *= options.weights.array();
  const MatrixXd z =
      ((inputs.rowwise() - standard.mean.transpose()).array().rowwise() * standard.scale.transpose().array())
          .cast<double>();
  const MatrixXd y = outputs.cast<double>();

  // Sum the statistics of each fold, and of all folds.
  const auto folds = assign_folds(groups, options.folds);
  std::vector<MomentSums> sums(folds.size(), MomentSums(0, 0));
  for_each_in_parallel(
      folds.size(), [&](size_t p) { sums[p] = MomentSums(z(folds[p], Eigen::all), y(folds[p], Eigen::all)); },
      options.threads);
  MomentSums all(z.cols(), y.cols());
  for (const MomentSums& s : sums) all.add(s, 1);

  // Choose the penalty by cross-validation.
  ridge.penalty = options.penalties[0];
  if (folds.size() > 1 && options.penalties.size() > 1) {
    std::vector<std::vector<double>> errors(folds.size());
    for_each_in_parallel(
        folds.size(),
        [&](size_t p) {
          MomentSums others = all;
          others.add(sums[p], -1);
          errors[p] = validation_errors(RidgeSolver(others), z(folds[p], Eigen::all), y(folds[p], Eigen::all),
                                        options.penalties);
        },
        options.threads);
    for (size_t k = 0; k < options.penalties.size(); ++k) {
      double sum = 0;
      for (const auto& e : errors) sum += e[k];
      ridge.errors.push_back(std::sqrt(sum / static_cast<double>(z.rows())));
    }
    const auto best = std::min_element(ridge.errors.begin(), ridge.errors.end());
    ridge.penalty = options.penalties[static_cast<size_t>(best - ridge.errors.begin())];
  }

  const RidgeSolver solver(all);
  const MatrixXd linear = (solver.eigenvectors * solver.solve(ridge.penalty)).transpose();
  ridge.network.mean = standard.mean;
  ridge.network.scale = standard.scale;
  ridge.network.linear = linear.cast<float>();
  ridge.network.bias = (solver.mean_out - linear * solver.mean_in).cast<float>();
  return ridge;
}

}  // namespace billow::learn
