#include "learn/pca.h"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <random>
#include <stdexcept>

#include "parallel.h"

namespace billow::learn {
namespace {

using Eigen::Index;

// Work is split independently of the number of threads and summed in the order of frames, so that results do not depend on
// that number.
constexpr size_t kPcaBlock = 512;  // frames in memory at a time
constexpr size_t kPcaGroup = 32;   // frames a task, where tasks split a block by frames
constexpr Index kPcaSlice = 1024;  // values a task, where tasks split a block by values

constexpr double kMinVariance = 1e-10;  // relative to the largest: below it is rounding noise

using ColumnMatrix = Eigen::MatrixXf;  // one direction a column

Index index(size_t i) { return static_cast<Index>(i); }

// Streams all frames block by block. Calls group(some rows of the block, index of the first) in parallel, then
// block(all its rows).
template <class Group, class Block>
void stream_blocks(const Rows& rows, size_t threads, Group group, Block block) {
  Matrix memory(index(std::min(kPcaBlock, rows.count)), index(rows.values));
  for (size_t first = 0; first < rows.count; first += kPcaBlock) {
    const size_t count = std::min(kPcaBlock, rows.count - first);
    for_each_in_parallel((count + kPcaGroup - 1) / kPcaGroup,
                         [&](size_t g) {
                           const Index at = index(g * kPcaGroup);
                           auto part = memory.middleRows(at, std::min(index(kPcaGroup), index(count) - at));
                           rows.fill(first + g * kPcaGroup, part);
                           group(part, at);
                         },
                         threads);
    block(memory.topRows(index(count)));
  }
}

// Calls f(first, count) in parallel for slices of the values.
template <class F> void for_slices(Index values, size_t threads, F f) {
  for_each_in_parallel(
      static_cast<size_t>((values + kPcaSlice - 1) / kPcaSlice),
      [&](size_t s) { f(index(s) * kPcaSlice, std::min(kPcaSlice, values - index(s) * kPcaSlice)); },
      threads);
}

struct Moments {
  Vector mean;
  double squared = 0;  // sum of squares about the mean, over all values and frames
};

Moments measure_moments(const Rows& rows, size_t threads) {
  Eigen::VectorXd sum = Eigen::VectorXd::Zero(index(rows.values)), squared = sum;
  stream_blocks(
      rows, threads, [](const auto&, Index) {},
      [&](const auto& block) {
        for_slices(block.cols(), threads, [&](Index at, Index count) {
          for (Index i = 0; i < block.rows(); ++i) {
            const auto x = block.row(i).segment(at, count).transpose().template cast<double>().eval();
            sum.segment(at, count) += x;
            squared.segment(at, count) += x.cwiseAbs2();
          }
        });
      });
  const auto n = static_cast<double>(rows.count);
  return {(sum / n).cast<float>(), squared.sum() - sum.squaredNorm() / n};
}

// Any distribution will do. Not std::uniform_real_distribution, which differs between standard libraries.
ColumnMatrix random_directions(Index values, Index count) {
  std::mt19937 random(1);
  ColumnMatrix q(values, count);
  for (float& x : q.reshaped()) x = static_cast<float>(static_cast<double>(random()) / 4294967296.0 - 0.5);
  return q;
}

ColumnMatrix orthonormal(const ColumnMatrix& z) {
  const Eigen::HouseholderQR<ColumnMatrix> qr(z);
  return qr.householderQ() * ColumnMatrix::Identity(z.rows(), z.cols());
}

// With X the centred frames:
struct CovarianceProducts {
  ColumnMatrix iterated;      // X'X q, one power iteration
  Eigen::MatrixXd projected;  // q'X'X q
};
CovarianceProducts apply_covariance(const Rows& rows, size_t threads, const Vector& mean,
                                    const ColumnMatrix& q, bool iterate) {
  CovarianceProducts p{ColumnMatrix::Zero(iterate ? q.rows() : 0, q.cols()),
                       Eigen::MatrixXd::Zero(q.cols(), q.cols())};
  Matrix y(index(std::min(kPcaBlock, rows.count)), q.cols());
  stream_blocks(
      rows, threads,
      [&](auto& part, Index at) {
        part.rowwise() -= mean.transpose();
        y.middleRows(at, part.rows()).noalias() = part * q;
      },
      [&](const auto& block) {
        const auto coefficients = y.topRows(block.rows());
        const Eigen::MatrixXd exact = coefficients.template cast<double>();
        p.projected.noalias() += exact.transpose() * exact;
        if (!iterate) return;
        for_slices(block.cols(), threads, [&](Index at, Index count) {
          p.iterated.middleRows(at, count).noalias() +=
              block.middleCols(at, count).transpose() * coefficients;
        });
      });
  return p;
}

}  // namespace

Pca principal_components(const Rows& rows, const PcaOptions& options) {
  if (rows.count == 0 || rows.values == 0 || options.components == 0)
    throw std::invalid_argument("principal components: expected frames and components, found " +
                                std::to_string(rows.count) + " frames of " + std::to_string(rows.values) +
                                " values, " + std::to_string(options.components) + " components");
  const size_t directions = std::min({options.components + options.oversampling, rows.count, rows.values});
  const Moments moments = measure_moments(rows, options.threads);

  // Find the dominant subspace by power iteration.
  ColumnMatrix q = orthonormal(random_directions(index(rows.values), index(directions)));
  for (size_t k = 2; k < options.passes; ++k)
    q = orthonormal(apply_covariance(rows, options.threads, moments.mean, q, true).iterated);

  // Diagonalise the covariance within it, largest variance first.
  const CovarianceProducts last = apply_covariance(rows, options.threads, moments.mean, q, false);
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(last.projected);
  const Eigen::VectorXd variances =
      eigen.eigenvalues().reverse().cwiseMax(0) / static_cast<double>(rows.count);
  Index components = std::min(index(options.components), index(directions));
  while (components > 1 && !(variances[components - 1] > kMinVariance * variances[0])) --components;
  const ColumnMatrix rotation = eigen.eigenvectors().rowwise().reverse().leftCols(components).cast<float>();

  Pca out;
  out.variance = std::max(0.0, moments.squared / static_cast<double>(rows.count));
  out.basis.mean = moments.mean;
  out.basis.modes = (q * rotation).transpose();
  out.basis.deviation = variances.head(components).cwiseSqrt().cast<float>();
  // Fix the sign of each mode.
  for (Index k = 0; k < components; ++k) {
    Index largest = 0;
    out.basis.modes.row(k).cwiseAbs().maxCoeff(&largest);
    if (out.basis.modes(k, largest) < 0) out.basis.modes.row(k) *= -1;
  }
  return out;
}

double Pca::explained(Eigen::Index components) const {
  if (!(variance > 0)) return 1;
  return std::min(1.0, basis.deviation.head(components).cast<double>().squaredNorm() / variance);
}

double Pca::rms_residual(Eigen::Index components) const {
  const double residual = variance * (1 - explained(components));
  return std::sqrt(std::max(0.0, residual) / (static_cast<double>(basis.values()) / 3));
}

}  // namespace billow::learn
