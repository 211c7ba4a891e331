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

// Pieces of work. They do not depend on the number of threads, and sums over frames are made in the order of frames:
// so results do not depend on it either.
constexpr size_t kBlock = 512;  // frames in memory at a time
constexpr size_t kGroup = 32;   // frames of a block
constexpr Index kSlice = 1024;  // values of all frames of a block

constexpr double kNothing = 1e-10;  // share of the largest variance that is no direction but rounding

using Columns = Eigen::MatrixXf;  // directions are columns

Index index(size_t i) { return static_cast<Index>(i); }

// Reads all frames, block after block. In parallel calls group(rows of the block, first of them); then block(all its rows).
template <class Group, class Block> void pass(const Rows& rows, size_t threads, Group group, Block block) {
  Matrix memory(index(std::min(kBlock, rows.count)), index(rows.values));
  for (size_t first = 0; first < rows.count; first += kBlock) {
    const size_t count = std::min(kBlock, rows.count - first);
    for_each_in_parallel((count + kGroup - 1) / kGroup,
                         [&](size_t g) {
                           const Index at = index(g * kGroup);
                           auto part = memory.middleRows(at, std::min(index(kGroup), index(count) - at));
                           rows.fill(first + g * kGroup, part);
                           group(part, at);
                         },
                         threads);
    block(memory.topRows(index(count)));
  }
}

// Calls f(first, count) for parts of the values in parallel.
template <class F> void for_slices(Index values, size_t threads, F f) {
  for_each_in_parallel(
      static_cast<size_t>((values + kSlice - 1) / kSlice),
      [&](size_t s) { f(index(s) * kSlice, std::min(kSlice, values - index(s) * kSlice)); }, threads);
}

struct Spread {
  Vector mean;
  double squares = 0;  // about the mean, of all values and frames
};

Spread measure_spread(const Rows& rows, size_t threads) {
  Eigen::VectorXd sum = Eigen::VectorXd::Zero(index(rows.values)), squares = sum;
  pass(
      rows, threads, [](const auto&, Index) {},
      [&](const auto& block) {
        for_slices(block.cols(), threads, [&](Index at, Index count) {
          for (Index i = 0; i < block.rows(); ++i) {
            const auto x = block.row(i).segment(at, count).transpose().template cast<double>().eval();
            sum.segment(at, count) += x;
            squares.segment(at, count) += x.cwiseAbs2();
          }
        });
      });
  const auto n = static_cast<double>(rows.count);
  return {(sum / n).cast<float>(), squares.sum() - sum.squaredNorm() / n};
}

// Any distribution will do; numbers made like this are the same with every library.
Columns random_directions(Index values, Index count) {
  std::mt19937 random(1);
  Columns q(values, count);
  for (float& x : q.reshaped()) x = static_cast<float>(static_cast<double>(random()) / 4294967296.0 - 0.5);
  return q;
}

Columns orthonormal(const Columns& z) {
  const Eigen::HouseholderQR<Columns> qr(z);
  return qr.householderQ() * Columns::Identity(z.rows(), z.cols());
}

// With X the frames about their mean: X'X q, which turns q towards the largest components, and the small q'X'X q.
struct Products {
  Columns turned;
  Eigen::MatrixXd within;
};
Products multiply(const Rows& rows, size_t threads, const Vector& mean, const Columns& q, bool turn) {
  Products p{Columns::Zero(turn ? q.rows() : 0, q.cols()), Eigen::MatrixXd::Zero(q.cols(), q.cols())};
  Matrix y(index(std::min(kBlock, rows.count)), q.cols());
  pass(
      rows, threads,
      [&](auto& part, Index at) {
        part.rowwise() -= mean.transpose();
        y.middleRows(at, part.rows()).noalias() = part * q;
      },
      [&](const auto& block) {
        const auto coefficients = y.topRows(block.rows());
        const Eigen::MatrixXd exact = coefficients.template cast<double>();
        p.within.noalias() += exact.transpose() * exact;
        if (!turn) return;
        for_slices(block.cols(), threads, [&](Index at, Index count) {
          p.turned.middleRows(at, count).noalias() += block.middleCols(at, count).transpose() * coefficients;
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
  const size_t directions = std::min({options.components + options.more, rows.count, rows.values});
  const Spread spread = measure_spread(rows, options.threads);

  // Turn directions towards the largest components.
  Columns q = orthonormal(random_directions(index(rows.values), index(directions)));
  for (size_t k = 2; k < options.passes; ++k)
    q = orthonormal(multiply(rows, options.threads, spread.mean, q, true).turned);

  // Turn them within what they span, largest first.
  const Products last = multiply(rows, options.threads, spread.mean, q, false);
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(last.within);
  const Eigen::VectorXd variances =
      eigen.eigenvalues().reverse().cwiseMax(0) / static_cast<double>(rows.count);
  Index components = std::min(index(options.components), index(directions));
  while (components > 1 && !(variances[components - 1] > kNothing * variances[0])) --components;
  const Columns turn = eigen.eigenvectors().rowwise().reverse().leftCols(components).cast<float>();

  Pca out;
  out.variance = std::max(0.0, spread.squares / static_cast<double>(rows.count));
  out.basis.mean = spread.mean;
  out.basis.modes = (q * turn).transpose();
  out.basis.deviation = variances.head(components).cwiseSqrt().cast<float>();
  // Of the two directions a mode may have, choose one.
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

double Pca::rms_left(Eigen::Index components) const {
  const double left = variance * (1 - explained(components));
  return std::sqrt(std::max(0.0, left) / (static_cast<double>(basis.values()) / 3));
}

Basis joined(const Basis& a, const Basis& b) {
  if (b.components() == 0) return a;
  // Take a's part out of b's modes. What is then left of some may be nothing.
  const Matrix rest = b.modes - (b.modes * a.modes.transpose()) * a.modes;
  const Eigen::ColPivHouseholderQR<Columns> qr(rest.transpose());
  Index more = 0;
  while (more < b.components() && std::abs(qr.matrixR()(more, more)) > 1e-4f) ++more;
  Basis out;
  out.mean = a.mean + b.mean;
  out.modes.resize(a.components() + more, a.values());
  out.modes.topRows(a.components()) = a.modes;
  out.modes.bottomRows(more) = (qr.householderQ() * Columns::Identity(a.values(), more)).transpose();
  return out;
}

}  // namespace billow::learn
