// Dense matrices as garment files keep them (src/net/matrix.h), and back.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "learn/model.h"
#include "net/matrix.h"

namespace billow::pack {

// How a column is stored. Integers of 16 bits are int8, with another int8 for the rest.
enum class Kind : uint8_t { kInt8, kInt16, kFloat16, kFloat32 };
inline constexpr size_t kKinds = 4;
inline constexpr const char* kKindNames[kKinds] = {"int8", "int16", "fp16", "fp32"};
inline constexpr double kKindBytes[kKinds] = {1, 2, 2, 4};  // a number

// How large the entries of a row are, compared with those of other rows: integers are relative to it.
std::vector<float> row_scales(const learn::Matrix& dense);

// What is read back instead of a column.
std::vector<float> stored_column(const learn::Matrix& dense, Eigen::Index column,
                                 std::span<const float> scales, Kind kind);

// The same for all columns in one kind.
learn::Matrix stored_matrix(const learn::Matrix& dense, Kind kind);

// How the rows of a matrix are scaled: each for itself, or not at all, where columns are alike in all of them.
enum class RowScales { kEach, kNone };

// The bytes of a matrix section, one kind a column.
std::string pack_matrix(const learn::Matrix& dense, std::span<const Kind> kinds,
                        RowScales scaled = RowScales::kEach);
// The same of a matrix that was rounded: integers are relative to these scales alone, whatever the columns are like. No scales: all 1.
std::string pack_rounded(const learn::Matrix& dense, std::span<const Kind> kinds,
                         std::span<const float> row_scales, std::span<const float> column_scales);
learn::Matrix unpack_matrix(const PackedMatrix& packed);

}  // namespace billow::pack
