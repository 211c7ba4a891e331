// Packing of matrices.
#include "pack/pack_matrix.h"

#include <gtest/gtest.h>

namespace billow::pack {
namespace {

// Regression weights of a bone that does not move are tiny, but not 0.
TEST(PackMatrix, NegligibleColumnsDoNotAffectRowScales) {
  learn::Matrix dense(3, 3);
  dense << 0.01f, 0.02f, 0, 1, -2, 0, 3, 1, 0;
  learn::Matrix with_negligible_column = dense;
  with_negligible_column.col(2) << -1.7e-21f, 3.9e-21f, -4.4e-21f;
  EXPECT_EQ(row_scales(with_negligible_column), row_scales(dense));
  EXPECT_NEAR(row_scales(dense)[0], 0.015f, 0.005f) << "its entries are a hundredth of those of other rows";
  const learn::Matrix error = stored_matrix(with_negligible_column, Format::kInt8) - with_negligible_column;
  EXPECT_LT(error.row(0).cwiseAbs().maxCoeff(), 2e-4f) << "half a step of the first row's own";
}

}  // namespace
}  // namespace billow::pack
