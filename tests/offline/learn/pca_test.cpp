// Streamed PCA against a singular value decomposition.
#include "learn/pca.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>

#include "support/random.h"

namespace billow::learn {
namespace {

using Eigen::Index;

// Frames about a mean, with amplitudes of the directions in geometric progression.
Matrix frames_like_cloth(Index count, Index values, Index directions, float factor) {
  testing::Random random(3);
  Matrix directions_matrix(directions, values), amplitudes(count, directions);
  for (float& x : directions_matrix.reshaped()) x = random.uniform_float(-1, 1);
  for (float& x : amplitudes.reshaped()) x = random.uniform_float(-1, 1);
  float amplitude = 1;
  for (Index k = 0; k < directions; ++k, amplitude *= factor) amplitudes.col(k) *= amplitude;
  Matrix frames = amplitudes * directions_matrix;
  for (Index j = 0; j < values; ++j) frames.col(j).array() += random.uniform_float(-1, 1);
  return frames;
}

Rows rows_of(const Matrix& frames) {
  return {static_cast<size_t>(frames.rows()), static_cast<size_t>(frames.cols()),
          [&frames](size_t first, Eigen::Ref<Matrix> out) {
            out = frames.middleRows(static_cast<Index>(first), out.rows());
          }};
}

TEST(Pca, MatchesTheSingularValueDecomposition) {
  const Matrix frames = frames_like_cloth(700, 90, 60, 0.9f);
  const Pca pca = principal_components(rows_of(frames), {.components = 12});
  const Matrix centred = frames.rowwise() - frames.colwise().mean();
  const Eigen::JacobiSVD<Eigen::MatrixXd> svd(centred.cast<double>(), Eigen::ComputeThinV);

  ASSERT_EQ(pca.basis.components(), 12);
  EXPECT_LT((pca.basis.mean.transpose() - frames.colwise().mean()).cwiseAbs().maxCoeff(), 1e-5);
  EXPECT_LT((pca.basis.modes * pca.basis.modes.transpose() - Matrix::Identity(12, 12)).cwiseAbs().maxCoeff(),
            1e-5);
  for (Index k = 0; k < 12; ++k) {
    const double deviation = svd.singularValues()[k] / std::sqrt(700.0);
    EXPECT_NEAR(pca.basis.deviation[k], deviation, 1e-3 * deviation) << k;
    EXPECT_GT(std::abs(pca.basis.modes.row(k).cast<double>().dot(svd.matrixV().col(k))), 0.999) << k;
    EXPECT_GT(pca.basis.modes.row(k).maxCoeff(), -pca.basis.modes.row(k).minCoeff()) << k;
  }
  const double all = svd.singularValues().squaredNorm(), first = svd.singularValues().head(12).squaredNorm();
  EXPECT_NEAR(pca.variance, all / 700, 1e-4 * pca.variance);
  EXPECT_NEAR(pca.explained(12), first / all, 1e-4);
  // The reported residual is that of projecting and expanding.
  const Matrix residual = frames - pca.basis.expand(pca.basis.project(frames));
  EXPECT_NEAR(pca.rms_residual(12), std::sqrt(residual.cast<double>().squaredNorm() / (700 * 90 / 3)),
              1e-3 * pca.rms_residual(12));
}

TEST(Pca, DoesNotDependOnThreads) {
  const Matrix frames = frames_like_cloth(520, 1100, 40, 0.8f);
  const Pca one = principal_components(rows_of(frames), {.components = 8, .threads = 1});
  const Pca five = principal_components(rows_of(frames), {.components = 8, .threads = 5});
  EXPECT_TRUE(one.basis.modes == five.basis.modes);
  EXPECT_TRUE(one.basis.mean == five.basis.mean);
  EXPECT_TRUE(one.basis.deviation == five.basis.deviation);
  EXPECT_EQ(one.variance, five.variance);
}

TEST(Pca, HasNoMoreComponentsThanTheRank) {
  const Matrix rank_four = frames_like_cloth(100, 30, 4, 0.7f);
  const Pca pca = principal_components(rows_of(rank_four), {.components = 20});
  EXPECT_EQ(pca.basis.components(), 4);
  EXPECT_NEAR(pca.explained(4), 1, 1e-5);
  const Matrix few = frames_like_cloth(3, 30, 4, 0.7f);
  EXPECT_EQ(principal_components(rows_of(few), {.components = 20}).basis.components(), 2);
  EXPECT_THROW(principal_components({}, {}), std::invalid_argument);
}

TEST(Pca, CoefficientsOfAllRows) {
  const Matrix frames = frames_like_cloth(70, 30, 10, 0.7f);
  const Basis basis = principal_components(rows_of(frames), {.components = 3}).basis;
  EXPECT_LT((coefficients(rows_of(frames), basis) - basis.project(frames)).cwiseAbs().maxCoeff(), 1e-5);
}

}  // namespace
}  // namespace billow::learn
