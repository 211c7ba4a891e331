// Rounding rows of numbers one after another, where each one's error is spread over those still to be rounded as least squares wants it: as
// in Optimal Brain Surgeon (Hassibi and Stork 1993), for whole numbers (Frantar et al. 2022, GPTQ).
#pragma once

#include <Eigen/Core>
#include <vector>

namespace billow::pack {

using Square = Eigen::MatrixXd;
using Order = std::vector<Eigen::Index>;

inline constexpr double kByteSteps = 127;  // of int8
inline constexpr double kFiner = 254;      // steps of int16 in one of int8

// How a number's error goes on to later ones: the upper factor of the inverse of the spread, which is how much what a row is multiplied by
// varies together; in the order of rounding.
Square factor_of(const Square& spread, const Order& order);

// A row to at most 127 whole steps of each column, the `fine` last ones in the order to 254ths of a step.
void quantise_row(const Square& factor, const Order& order, Eigen::Index fine,
                  const Eigen::RowVectorXd& steps, Eigen::Ref<Eigen::RowVectorXd> row);

}  // namespace billow::pack
