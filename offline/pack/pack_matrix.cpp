#include "pack/pack_matrix.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <iterator>

#include "asset/format.h"

namespace billow::pack {
namespace {

// An entry is scale * row scale * value.
struct StoredColumn {
  uint32_t source = 0;
  float scale = 0;
  std::vector<float> values;  // integers for int8
};

uint16_t to_half(float x) { return Eigen::half_impl::float_to_half_rtne(x).x; }
float from_half(uint16_t bits) {
  return Eigen::half_impl::half_to_float(Eigen::half_impl::raw_uint16_to_half(bits));
}

float max_magnitude(std::span<const float> values) {
  float magnitude = 0;
  for (const float v : values) magnitude = std::max(magnitude, std::fabs(v));
  return magnitude;
}

constexpr float kMaxLevel = 127;  // of int8

// Quantises values to int8 and leaves the residuals in `values`.
StoredColumn quantise_column(std::vector<float>& values, float scale) {
  StoredColumn stored{0, scale, std::vector<float>(values.size())};
  for (size_t r = 0; r < values.size() && scale > 0; ++r) {
    stored.values[r] = std::clamp(std::nearbyint(values[r] / scale), -kMaxLevel, kMaxLevel);
    values[r] -= scale * stored.values[r];
  }
  return stored;
}

// A column as stored columns, the second one (int16 only) for the residuals of the first. `magnitude`: value of the largest
// integer; 0: the largest magnitude in the column.
std::vector<StoredColumn> stored_columns_of(const learn::Matrix& dense, Eigen::Index column,
                                            std::span<const float> scales, Format format,
                                            float magnitude = 0) {
  std::vector<float> remaining(static_cast<size_t>(dense.rows()));
  for (size_t r = 0; r < remaining.size(); ++r)
    remaining[r] = dense(static_cast<Eigen::Index>(r), column) / scales[r];
  if (magnitude == 0) magnitude = max_magnitude(remaining);
  std::vector<StoredColumn> columns;
  switch (format) {
    case Format::kFloat32:
      columns.push_back({0, 1, remaining});
      break;
    case Format::kFloat16:
      columns.push_back({0, magnitude, remaining});
      for (float& v : columns[0].values) v = magnitude > 0 ? from_half(to_half(v / magnitude)) : 0;
      break;
    case Format::kInt8:
    case Format::kInt16:
      columns.push_back(quantise_column(remaining, magnitude / kMaxLevel));
      // Residuals are within half a step.
      if (format == Format::kInt16)
        columns.push_back(quantise_column(remaining, columns[0].scale / (2 * kMaxLevel)));
      break;
  }
  for (StoredColumn& p : columns) p.source = static_cast<uint32_t>(column);
  return columns;
}

struct StoredColumns {
  std::vector<StoredColumn> float32, float16, int8;
};

// `magnitude`: one a column; empty: all 0.
StoredColumns all_stored_columns(const learn::Matrix& dense, std::span<const Format> formats,
                                 std::span<const float> scales, std::span<const float> magnitude) {
  StoredColumns all;
  std::vector<StoredColumn> residuals;  // after the others, so that those stay in order
  for (Eigen::Index k = 0; k < dense.cols(); ++k) {
    const Format format = formats[static_cast<size_t>(k)];
    std::vector<StoredColumn> columns = stored_columns_of(
        dense, k, scales, format, magnitude.empty() ? 0 : magnitude[static_cast<size_t>(k)]);
    auto& first = format == Format::kFloat32   ? all.float32
                  : format == Format::kFloat16 ? all.float16
                                               : all.int8;
    first.push_back(std::move(columns[0]));
    if (columns.size() > 1) residuals.push_back(std::move(columns[1]));
  }
  std::move(residuals.begin(), residuals.end(), std::back_inserter(all.int8));
  // Pad to multiples of two and eight.
  const auto fill = [&](std::vector<StoredColumn>& columns, size_t group) {
    while (columns.size() % group) columns.push_back({0, 0, std::vector<float>(scales.size())});
  };
  fill(all.float16, 2), fill(all.int8, 8);
  return all;
}

template <class T> void append(std::string& out, const T& value) {
  out.append(reinterpret_cast<const char*>(&value), sizeof value);
}

void append_panel(std::string& out, const StoredColumns& columns, size_t first) {
  const auto at = [&](const StoredColumn& p, size_t r) {
    return first + r < p.values.size() ? p.values[first + r] : 0.0f;
  };
  for (const StoredColumn& p : columns.float32)
    for (size_t r = 0; r < kPanelRows; ++r) append(out, at(p, r));
  for (const StoredColumn& p : columns.float16)
    for (size_t r = 0; r < kPanelRows; ++r) append(out, to_half(at(p, r)));
  for (size_t k = 0; k < columns.int8.size(); k += 8)
    for (size_t r = 0; r < kPanelRows; ++r)
      for (size_t j = 0; j < 8; ++j) append(out, static_cast<int8_t>(at(columns.int8[k + j], r)));
}

std::string bytes_of(const learn::Matrix& dense, const StoredColumns& columns,
                     std::span<const float> row_scales) {
  asset::MatrixRecord record{};
  record.rows = static_cast<uint32_t>(dense.rows());
  record.columns = static_cast<uint32_t>(dense.cols());
  record.float32 = static_cast<uint32_t>(columns.float32.size());
  record.float16 = static_cast<uint32_t>(columns.float16.size());
  record.int8 = static_cast<uint32_t>(columns.int8.size());
  record.row_scales = !row_scales.empty();
  std::string out;
  out.reserve(asset::matrix_size(record));
  append(out, record);
  const auto by_format = {&columns.float32, &columns.float16, &columns.int8};
  for (const auto* format : by_format)
    for (const StoredColumn& p : *format) append(out, p.source);
  for (const auto* format : by_format)
    for (const StoredColumn& p : *format) append(out, p.scale);
  const size_t rows = round_up_to_panels(record.rows);
  for (size_t r = 0; r < rows && record.row_scales; ++r)
    append(out, r < row_scales.size() ? row_scales[r] : 0.0f);
  out.resize(asset::matrix_panels_at(record), '\0');
  for (size_t r = 0; r < rows; r += kPanelRows) append_panel(out, columns, r);
  return out;
}

}  // namespace

std::vector<float> row_scales(const learn::Matrix& dense) {
  // The largest entry of the row, each divided by the RMS of its column: columns count equally, whatever their magnitude. A
  // negligible column (the regression weights of a bone that does not move) must not determine the scale.
  constexpr float kMinNorm = 1e-6f;
  Eigen::RowVectorXf norms =
      dense.colwise().norm() / std::sqrt(static_cast<float>(std::max<Eigen::Index>(1, dense.rows())));
  if (norms.size() > 0) norms = norms.cwiseMax(std::max(kMinNorm * norms.maxCoeff(), 1e-30f)).eval();
  std::vector<float> scales(static_cast<size_t>(dense.rows()));
  for (size_t r = 0; r < scales.size(); ++r) {
    const float largest = (dense.row(static_cast<Eigen::Index>(r)).array() / norms.array()).abs().maxCoeff();
    scales[r] = largest > 0 ? largest : 1;
  }
  return scales;
}

std::vector<float> stored_column(const learn::Matrix& dense, Eigen::Index column,
                                 std::span<const float> scales, Format format) {
  std::vector<float> sum(scales.size());
  for (const StoredColumn& p : stored_columns_of(dense, column, scales, format))
    for (size_t r = 0; r < sum.size(); ++r) sum[r] += p.scale * p.values[r];
  for (size_t r = 0; r < sum.size(); ++r) sum[r] *= scales[r];
  return sum;
}

learn::Matrix stored_matrix(const learn::Matrix& dense, Format format) {
  const bool floats = format == Format::kFloat16 || format == Format::kFloat32;
  const std::vector<float> scales =
      floats ? std::vector<float>(static_cast<size_t>(dense.rows()), 1.0f) : row_scales(dense);
  learn::Matrix out(dense.rows(), dense.cols());
  for (Eigen::Index c = 0; c < dense.cols(); ++c) {
    const std::vector<float> stored = stored_column(dense, c, scales, format);
    out.col(c) = Eigen::Map<const learn::Vector>(stored.data(), static_cast<Eigen::Index>(stored.size()));
  }
  return out;
}

std::string pack_matrix(const learn::Matrix& dense, std::span<const Format> formats, RowScales scaled) {
  // Floats need no row scales, and float32 is exact without.
  const bool floats = std::all_of(formats.begin(), formats.end(),
                                  [](Format k) { return k == Format::kFloat32 || k == Format::kFloat16; });
  const bool with_row_scales = scaled == RowScales::kEach && !floats;
  const std::vector<float> scales =
      with_row_scales ? row_scales(dense) : std::vector<float>(static_cast<size_t>(dense.rows()), 1.0f);
  return bytes_of(dense, all_stored_columns(dense, formats, scales, {}),
                  with_row_scales ? scales : std::vector<float>());
}

std::string pack_quantised(const learn::Matrix& dense, std::span<const Format> formats,
                           std::span<const float> row_scales, std::span<const float> column_scales) {
  const std::vector<float> rows(row_scales.empty() ? static_cast<size_t>(dense.rows()) : 0, 1.0f);
  const std::vector<float> columns(column_scales.empty() ? static_cast<size_t>(dense.cols()) : 0, 1.0f);
  return bytes_of(dense,
                  all_stored_columns(dense, formats, row_scales.empty() ? rows : row_scales,
                                     column_scales.empty() ? columns : column_scales),
                  row_scales);
}

learn::Matrix unpack_matrix(const PackedMatrix& m) {
  learn::Matrix dense = learn::Matrix::Zero(m.rows, m.columns);
  for (uint32_t row = 0; row < m.rows; ++row) {
    const std::byte* at = m.panels + row / kPanelRows * m.panel_bytes();
    const size_t r = row % kPanelRows;
    size_t column = 0;
    const auto add = [&](float value) {
      dense(row, m.sources[column]) += m.scales[column] * value;
      ++column;
    };
    for (uint32_t k = 0; k < m.float32; ++k, at += 4 * kPanelRows) {
      float value;
      std::memcpy(&value, at + 4 * r, 4);
      add(value);
    }
    for (uint32_t k = 0; k < m.float16; ++k, at += 2 * kPanelRows) {
      uint16_t bits;
      std::memcpy(&bits, at + 2 * r, 2);
      add(from_half(bits));
    }
    for (uint32_t k = 0; k < m.int8; k += 8, at += 8 * kPanelRows)
      for (size_t j = 0; j < 8; ++j) add(std::to_integer<int8_t>(at[8 * r + j]));
    if (m.row_scales) dense.row(row) *= m.row_scales[row];
  }
  return dense;
}

}  // namespace billow::pack
