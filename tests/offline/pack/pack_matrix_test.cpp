// Matrices as garment files keep them.
#include "pack/pack_matrix.h"

#include <gtest/gtest.h>

namespace billow::pack {
namespace {

// Regression leaves next to nothing for a bone that stands still, but not nothing.
TEST(PackMatrix, ColumnsThatAreNothingBesideOthersDoNotScaleRows) {
  learn::Matrix dense(3, 3);
  dense << 0.01f, 0.02f, 0, 1, -2, 0, 3, 1, 0;
  learn::Matrix still = dense;
  still.col(2) << -1.7e-21f, 3.9e-21f, -4.4e-21f;
  EXPECT_EQ(row_scales(still), row_scales(dense));
  EXPECT_NEAR(row_scales(dense)[0], 0.015f, 0.005f) << "its entries are a hundredth of the others'";
  const learn::Matrix off = stored_matrix(still, Kind::kInt8) - still;
  EXPECT_LT(off.row(0).cwiseAbs().maxCoeff(), 2e-4f) << "half a step of the first row's own";
}

}  // namespace
}  // namespace billow::pack
