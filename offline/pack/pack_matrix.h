// Converts dense matrices to and from the packed format of garment files (src/net/matrix.h).
#pragma once

#include <span>
#include <string>
#include <vector>

#include "learn/model.h"
#include "net/matrix.h"

namespace billow::pack {

// Number format of a column. An int16 column is two int8 columns, the second for the rounding residual of the first.
enum class Format : uint8_t { kInt8, kInt16, kFloat16, kFloat32 };
inline constexpr size_t kFormatCount = 4;
inline constexpr const char* kFormatNames[kFormatCount] = {"int8", "int16", "fp16", "fp32"};
inline constexpr double kFormatBytes[kFormatCount] = {1, 2, 2, 4};  // a value

// Scale of each row relative to the other rows. Integers are multiplied by it.
std::vector<float> row_scales(const learn::Matrix& dense);

// A column as read back after storing it.
std::vector<float> stored_column(const learn::Matrix& dense, Eigen::Index column,
                                 std::span<const float> scales, Format format);

// The same for all columns in one format.
learn::Matrix stored_matrix(const learn::Matrix& dense, Format format);

// Whether rows have scales. None are needed where rows are of equal magnitude.
enum class RowScales { kEach, kNone };

// The bytes of a matrix section, rounded to nearest, with one format a column.
std::string pack_matrix(const learn::Matrix& dense, std::span<const Format> formats,
                        RowScales scaled = RowScales::kEach);
// The same for a matrix that is quantised already, with given scales. Empty scales: all 1.
std::string pack_quantised(const learn::Matrix& dense, std::span<const Format> formats,
                           std::span<const float> row_scales, std::span<const float> column_scales);
learn::Matrix unpack_matrix(const PackedMatrix& packed);

}  // namespace billow::pack
