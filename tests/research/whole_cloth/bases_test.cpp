// The two bases of the whole-cloth form.
#include "research/whole_cloth/bases.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>

namespace billow::research {
namespace {

using learn::Basis;
using learn::Matrix;
using learn::Vector;

TEST(Bases, JoinedSpanBoth) {
  // b spans a: only four directions are new. Rotate it, so that no modes coincide.
  const auto orthonormal = [](Eigen::Index size) {
    return Eigen::MatrixXf(Eigen::MatrixXf::Random(size, size).eval().householderQr().householderQ());
  };
  Basis a, b;
  b.modes = orthonormal(60).topRows(9), b.mean = Vector::Zero(60);
  a.modes = b.modes.topRows(5), a.mean = Vector::Random(60);
  b.modes = Matrix(orthonormal(9) * b.modes);
  const Basis both = joined(a, b);
  ASSERT_EQ(both.components(), 9);
  EXPECT_LT((both.modes * both.modes.transpose() - Matrix::Identity(9, 9)).cwiseAbs().maxCoeff(), 1e-4);
  EXPECT_LT((b.modes - (b.modes * both.modes.transpose()) * both.modes).cwiseAbs().maxCoeff(), 1e-4);
  EXPECT_EQ(joined(a, {}).components(), 5);
}

}  // namespace
}  // namespace billow::research
