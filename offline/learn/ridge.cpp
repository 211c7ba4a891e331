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

// A feature that hardly moves (a bone near the key joint) is not blown up: it counts as moving by this share of the mean.
constexpr double kMinMotion = 0.01;

// What regression needs to know of some rows.
struct Sums {
  double count = 0;
  MatrixXd zz, zy;
  VectorXd z, y;

  Sums(Index inputs, Index outputs)
      : zz(MatrixXd::Zero(inputs, inputs)),
        zy(MatrixXd::Zero(inputs, outputs)),
        z(VectorXd::Zero(inputs)),
        y(VectorXd::Zero(outputs)) {}
  Sums(const MatrixXd& inputs, const MatrixXd& outputs)
      : count(static_cast<double>(inputs.rows())),
        zz(inputs.transpose() * inputs),
        zy(inputs.transpose() * outputs),
        z(inputs.colwise().sum()),
        y(outputs.colwise().sum()) {}
  void add(const Sums& s, double times) {
    count += times * s.count;
    zz += times * s.zz, zy += times * s.zy;
    z += times * s.z, y += times * s.y;
  }
};

// The solution for any penalty: W = (axes (variances + penalty)^-1 axes' products)', about the means.
struct Solver {
  VectorXd mean_in, mean_out, variances;
  MatrixXd axes, turned;  // turned: axes' products

  explicit Solver(const Sums& s) : mean_in(s.z / s.count), mean_out(s.y / s.count) {
    const Eigen::SelfAdjointEigenSolver<MatrixXd> eigen(s.zz / s.count - mean_in * mean_in.transpose());
    variances = eigen.eigenvalues().cwiseMax(0);
    axes = eigen.eigenvectors();
    turned = axes.transpose() * (s.zy / s.count - mean_in * mean_out.transpose());
  }
  MatrixXd solved(double penalty) const {
    // A direction without variance has no part in the solution even where the penalty is 0.
    const double least = 1e-14 * variances.maxCoeff();
    const VectorXd inverse =
        variances.unaryExpr([&](double v) { return v + penalty > least ? 1 / (v + penalty) : 0.0; });
    return inverse.asDiagonal() * turned;
  }
};

// Rows of each part: groups are dealt out in turn, the longest first to where there are fewest.
std::vector<std::vector<Index>> share_out(std::span<const uint32_t> groups, size_t folds) {
  std::map<uint32_t, std::vector<Index>> members;
  for (size_t i = 0; i < groups.size(); ++i) members[groups[i]].push_back(static_cast<Index>(i));
  std::vector<const std::vector<Index>*> order;
  for (const auto& [group, rows] : members) order.push_back(&rows);
  std::stable_sort(order.begin(), order.end(), [](auto* a, auto* b) { return a->size() > b->size(); });
  std::vector<std::vector<Index>> parts(std::min(folds, order.size()));
  for (const auto* rows : order) {
    auto& part = *std::min_element(parts.begin(), parts.end(),
                                   [](const auto& a, const auto& b) { return a.size() < b.size(); });
    part.insert(part.end(), rows->begin(), rows->end());
  }
  return parts;
}

// Squares that are left in the part that was left out, for each penalty.
std::vector<double> errors_of(const Solver& solver, const MatrixXd& z, const MatrixXd& y,
                              const std::vector<double>& penalties) {
  const MatrixXd along = (z.rowwise() - solver.mean_in.transpose()) * solver.axes;
  const MatrixXd wanted = y.rowwise() - solver.mean_out.transpose();
  std::vector<double> out;
  for (const double penalty : penalties)
    out.push_back((along * solver.solved(penalty) - wanted).squaredNorm());
  return out;
}

}  // namespace

Standard standardise(const Matrix& inputs, Scaling scaling) {
  const MatrixXd d = inputs.cast<double>();
  const VectorXd mean = d.colwise().mean();
  const VectorXd variance = (d.rowwise() - mean.transpose()).array().square().colwise().mean();
  const double typical = std::sqrt(variance.mean());
  VectorXd deviation = VectorXd::Constant(mean.size(), typical);
  if (scaling == Scaling::kFeature) deviation = variance.cwiseSqrt().cwiseMax(kMinMotion * typical);
  return {mean.cast<float>(),
          deviation.unaryExpr([](double s) { return s > 0 ? 1 / s : 1.0; }).cast<float>()};
}

Ridge fit_ridge(const Matrix& inputs, const Matrix& outputs, std::span<const uint32_t> groups,
                const RidgeOptions& options) {
  if (inputs.rows() == 0 || outputs.rows() != inputs.rows() ||
      groups.size() != static_cast<size_t>(inputs.rows()))
    throw std::invalid_argument("ridge: expected as many outputs and groups as inputs, and some; found " +
                                std::to_string(inputs.rows()) + " inputs, " + std::to_string(outputs.rows()) +
                                " outputs, " + std::to_string(groups.size()) + " groups");
  if (options.penalties.empty() || options.folds == 0)
    throw std::invalid_argument("ridge: expected a penalty and a number of folds, found none");

  Ridge ridge;
  Standard standard = standardise(inputs, options.scaling);
  if (options.weights.size() > 0) standard.scale.array() *= options.weights.array();
  const MatrixXd z =
      ((inputs.rowwise() - standard.mean.transpose()).array().rowwise() * standard.scale.transpose().array())
          .cast<double>();
  const MatrixXd y = outputs.cast<double>();

  // Sum up each part, and from these all of them.
  const auto parts = share_out(groups, options.folds);
  std::vector<Sums> sums(parts.size(), Sums(0, 0));
  for_each_in_parallel(
      parts.size(), [&](size_t p) { sums[p] = Sums(z(parts[p], Eigen::all), y(parts[p], Eigen::all)); },
      options.threads);
  Sums all(z.cols(), y.cols());
  for (const Sums& s : sums) all.add(s, 1);

  // Choose the penalty by leaving each part out in turn.
  ridge.penalty = options.penalties[0];
  if (parts.size() > 1 && options.penalties.size() > 1) {
    std::vector<std::vector<double>> errors(parts.size());
    for_each_in_parallel(
        parts.size(),
        [&](size_t p) {
          Sums others = all;
          others.add(sums[p], -1);
          errors[p] =
              errors_of(Solver(others), z(parts[p], Eigen::all), y(parts[p], Eigen::all), options.penalties);
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

  const Solver solver(all);
  const MatrixXd linear = (solver.axes * solver.solved(ridge.penalty)).transpose();
  ridge.network.mean = standard.mean;
  ridge.network.scale = standard.scale;
  ridge.network.linear = linear.cast<float>();
  ridge.network.bias = (solver.mean_out - linear * solver.mean_in).cast<float>();
  return ridge;
}

}  // namespace billow::learn
