// Ridge regression against the normal equations, and the choice of its penalty.
#include "learn/ridge.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>

#include "support/random.h"

namespace billow::learn {
namespace {

using Eigen::Index;

Matrix noise(Index rows, Index columns, uint32_t seed) {
  testing::Random random(seed);
  Matrix m(rows, columns);
  for (float& x : m.reshaped()) x = random.uniform_float(-1, 1);
  return m;
}

TEST(Ridge, SolvesTheNormalEquations) {
  Matrix inputs = noise(80, 6, 1);
  inputs.col(2) *= 20;
  inputs.col(3).array() += 7;
  const Matrix outputs = noise(80, 3, 2).array() + 5;
  const std::vector<uint32_t> groups(80, 0);
  const double penalty = 0.3;
  const Ridge ridge = fit_ridge(inputs, outputs, groups, {Scaling::kFeature, {penalty}});
  EXPECT_EQ(ridge.penalty, penalty);

  // Append a column of ones that is not penalised.
  Eigen::MatrixXd z(80, 7);
  z.leftCols(6) = ((inputs.rowwise() - ridge.network.mean.transpose()).array().rowwise() *
                   ridge.network.scale.transpose().array())
                      .cast<double>();
  z.col(6).setOnes();
  EXPECT_NEAR(z.leftCols(6).colwise().squaredNorm().minCoeff() / 80, 1, 1e-4);
  Eigen::MatrixXd left = z.transpose() * z / 80;
  left.topLeftCorner(6, 6).diagonal().array() += penalty;
  const Eigen::MatrixXd w = left.ldlt().solve(z.transpose() * outputs.cast<double>() / 80);
  EXPECT_LT((ridge.network(inputs).cast<double>() - z * w).cwiseAbs().maxCoeff(), 1e-5);
}

TEST(Ridge, FindsALinearMapAndAnOffset) {
  const Matrix inputs = noise(200, 8, 3), map = noise(2, 8, 4);
  Matrix outputs = inputs * map.transpose();
  outputs.col(1).array() += 3;
  std::vector<uint32_t> groups;
  for (uint32_t i = 0; i < 200; ++i) groups.push_back(i / 20);
  const Ridge ridge = fit_ridge(inputs, outputs, groups, {});
  EXPECT_EQ(ridge.penalty, RidgeOptions{}.penalties.front()) << "the data has no noise";
  EXPECT_LT((ridge.network(inputs) - outputs).cwiseAbs().maxCoeff(), 1e-4);
  EXPECT_TRUE(ridge.network.layers.empty());
}

// Of two identical inputs, each gets a coefficient in proportion to the square of its weight.
TEST(Ridge, PrefersInputsOfLargerWeight) {
  Matrix inputs = noise(100, 2, 7);
  inputs.col(1) = inputs.col(0);
  RidgeOptions options{Scaling::kOne, {1e-3}};
  options.weights = Vector{{1.0f, 0.5f}};
  const Network n = fit_ridge(inputs, inputs.col(0), std::vector<uint32_t>(100, 0), options).network;
  const float one = n.linear(0, 0) * n.scale[0], other = n.linear(0, 1) * n.scale[1];
  EXPECT_NEAR(other / one, 0.25f, 1e-3f);
  EXPECT_NEAR(one + other, 1, 1e-2f);
}

// Rows of a group have the same input and the same noise in their output. Holding out rows leaks the noise into the training
// folds; holding out groups does not.
TEST(Ridge, CrossValidatesByWholeGroups) {
  const Index groups = 24, each = 10;
  const Matrix group_inputs = noise(groups, 20, 5), group_noise = noise(groups, 1, 6) * 3;
  Matrix inputs(groups * each, 20), outputs(groups * each, 1);
  std::vector<uint32_t> group_ids, row_ids;
  for (Index i = 0; i < groups * each; ++i) {
    inputs.row(i) = group_inputs.row(i / each);
    outputs(i, 0) = group_inputs(i / each, 0) + group_noise(i / each, 0);
    group_ids.push_back(static_cast<uint32_t>(i / each));
    row_ids.push_back(static_cast<uint32_t>(i));
  }
  const RidgeOptions options{Scaling::kOne, {1e-6, 1e-3, 1e-1, 1, 10, 100}};
  const Ridge by_groups = fit_ridge(inputs, outputs, group_ids, options),
              by_rows = fit_ridge(inputs, outputs, row_ids, options);
  EXPECT_GE(by_groups.penalty, 0.1);
  EXPECT_LE(by_rows.penalty, 1e-3);
  EXPECT_EQ(by_groups.errors.size(), options.penalties.size());
}

TEST(Ridge, StandardisesByFeatureOrByOneScale) {
  Matrix inputs(4, 3);
  inputs << 1, 10, 5, 3, 30, 5, 1, 10, 5, 3, 30, 5;
  const Standardisation feature = standardise(inputs, Scaling::kFeature),
                        one = standardise(inputs, Scaling::kOne);
  EXPECT_FLOAT_EQ(feature.mean[1], 20);
  EXPECT_FLOAT_EQ(feature.scale[0], 1);
  EXPECT_FLOAT_EQ(feature.scale[1], 0.1f);
  const float typical = std::sqrt((1.0f + 100) / 3);
  EXPECT_NEAR(feature.scale[2], 100 / typical, 0.01) << "a constant feature is not amplified";
  for (Index k = 0; k < 3; ++k) EXPECT_NEAR(one.scale[k], 1 / typical, 1e-5);
}

TEST(Ridge, RefusesSizesThatDoNotMatch) {
  EXPECT_THROW(fit_ridge(noise(4, 2, 1), noise(3, 2, 1), std::vector<uint32_t>(4), {}),
               std::invalid_argument);
  EXPECT_THROW(fit_ridge(noise(4, 2, 1), noise(4, 2, 1), std::vector<uint32_t>(3), {}),
               std::invalid_argument);
  EXPECT_THROW(fit_ridge(noise(4, 2, 1), noise(4, 2, 1), std::vector<uint32_t>(4), {Scaling::kOne, {}}),
               std::invalid_argument);
}

}  // namespace
}  // namespace billow::learn
