#include "pack/pack_matrix.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <iterator>

#include "asset/format.h"

namespace billow::pack {
namespace {

// One stored column: its numbers are scale * row scale * value.
struct Plane {
  uint32_t source = 0;
  float scale = 0;
  std::vector<float> values;  // whole numbers where it is one of integers
};

uint16_t to_half(float x) { return Eigen::half_impl::float_to_half_rtne(x).x; }
float from_half(uint16_t bits) {
  return Eigen::half_impl::half_to_float(Eigen::half_impl::raw_uint16_to_half(bits));
}

float largest(std::span<const float> values) {
  float most = 0;
  for (const float v : values) most = std::max(most, std::fabs(v));
  return most;
}

constexpr float kLevels = 127;  // of int8

// Takes what int8 can hold of `values` out of them.
Plane take_integers(std::vector<float>& values, float scale) {
  Plane plane{0, scale, std::vector<float>(values.size())};
  for (size_t r = 0; r < values.size() && scale > 0; ++r) {
    plane.values[r] = std::clamp(std::nearbyint(values[r] / scale), -kLevels, kLevels);
    values[r] -= scale * plane.values[r];
  }
  return plane;
}

// A column as planes, the second one (if any) for the rounding of the first. `most`: the largest that integers are for; 0: that of
// the column.
std::vector<Plane> planes_of(const learn::Matrix& dense, Eigen::Index column, std::span<const float> scales,
                             Kind kind, float most = 0) {
  std::vector<float> left(static_cast<size_t>(dense.rows()));
  for (size_t r = 0; r < left.size(); ++r) left[r] = dense(static_cast<Eigen::Index>(r), column) / scales[r];
  if (most == 0) most = largest(left);
  std::vector<Plane> planes;
  switch (kind) {
    case Kind::kFloat32:
      planes.push_back({0, 1, left});
      break;
    case Kind::kFloat16:
      planes.push_back({0, most, left});
      for (float& v : planes[0].values) v = most > 0 ? from_half(to_half(v / most)) : 0;
      break;
    case Kind::kInt8:
    case Kind::kInt16:
      planes.push_back(take_integers(left, most / kLevels));
      // Half a step either way is left.
      if (kind == Kind::kInt16) planes.push_back(take_integers(left, planes[0].scale / (2 * kLevels)));
      break;
  }
  for (Plane& p : planes) p.source = static_cast<uint32_t>(column);
  return planes;
}

struct Planes {
  std::vector<Plane> float32, float16, int8;
};

// `most`: of each column, as in planes_of; none: all 0.
Planes all_planes(const learn::Matrix& dense, std::span<const Kind> kinds, std::span<const float> scales,
                  std::span<const float> most) {
  Planes all;
  std::vector<Plane> rest;  // behind the others, so that those stand in order
  for (Eigen::Index k = 0; k < dense.cols(); ++k) {
    const Kind kind = kinds[static_cast<size_t>(k)];
    std::vector<Plane> planes =
        planes_of(dense, k, scales, kind, most.empty() ? 0 : most[static_cast<size_t>(k)]);
    auto& first = kind == Kind::kFloat32 ? all.float32 : kind == Kind::kFloat16 ? all.float16 : all.int8;
    first.push_back(std::move(planes[0]));
    if (planes.size() > 1) rest.push_back(std::move(planes[1]));
  }
  std::move(rest.begin(), rest.end(), std::back_inserter(all.int8));
  // Fill up the last two and the last eight.
  const auto fill = [&](std::vector<Plane>& planes, size_t group) {
    while (planes.size() % group) planes.push_back({0, 0, std::vector<float>(scales.size())});
  };
  fill(all.float16, 2), fill(all.int8, 8);
  return all;
}

template <class T> void append(std::string& out, const T& value) {
  out.append(reinterpret_cast<const char*>(&value), sizeof value);
}

void append_panel(std::string& out, const Planes& planes, size_t first) {
  const auto at = [&](const Plane& p, size_t r) {
    return first + r < p.values.size() ? p.values[first + r] : 0.0f;
  };
  for (const Plane& p : planes.float32)
    for (size_t r = 0; r < kPanelRows; ++r) append(out, at(p, r));
  for (const Plane& p : planes.float16)
    for (size_t r = 0; r < kPanelRows; ++r) append(out, to_half(at(p, r)));
  for (size_t k = 0; k < planes.int8.size(); k += 8)
    for (size_t r = 0; r < kPanelRows; ++r)
      for (size_t j = 0; j < 8; ++j) append(out, static_cast<int8_t>(at(planes.int8[k + j], r)));
}

std::string bytes_of(const learn::Matrix& dense, const Planes& planes, std::span<const float> row_scales) {
  asset::MatrixRecord record{};
  record.rows = static_cast<uint32_t>(dense.rows());
  record.columns = static_cast<uint32_t>(dense.cols());
  record.float32 = static_cast<uint32_t>(planes.float32.size());
  record.float16 = static_cast<uint32_t>(planes.float16.size());
  record.int8 = static_cast<uint32_t>(planes.int8.size());
  record.row_scales = !row_scales.empty();
  std::string out;
  out.reserve(asset::matrix_size(record));
  append(out, record);
  const auto kinds_of_planes = {&planes.float32, &planes.float16, &planes.int8};
  for (const auto* kind : kinds_of_planes)
    for (const Plane& p : *kind) append(out, p.source);
  for (const auto* kind : kinds_of_planes)
    for (const Plane& p : *kind) append(out, p.scale);
  const size_t rows = round_up_to_panels(record.rows);
  for (size_t r = 0; r < rows && record.row_scales; ++r)
    append(out, r < row_scales.size() ? row_scales[r] : 0.0f);
  out.resize(asset::matrix_panels_at(record), '\0');
  for (size_t r = 0; r < rows; r += kPanelRows) append_panel(out, planes, r);
  return out;
}

}  // namespace

std::vector<float> row_scales(const learn::Matrix& dense) {
  // Columns count alike, however large they are: a row is as large as its largest entry is for its column. One that is
  // nothing beside the largest (what regression leaves of a bone that stands still) has no say.
  constexpr float kNothing = 1e-6f;
  Eigen::RowVectorXf norms =
      dense.colwise().norm() / std::sqrt(static_cast<float>(std::max<Eigen::Index>(1, dense.rows())));
  if (norms.size() > 0) norms = norms.cwiseMax(std::max(kNothing * norms.maxCoeff(), 1e-30f)).eval();
  std::vector<float> scales(static_cast<size_t>(dense.rows()));
  for (size_t r = 0; r < scales.size(); ++r) {
    const float largest = (dense.row(static_cast<Eigen::Index>(r)).array() / norms.array()).abs().maxCoeff();
    scales[r] = largest > 0 ? largest : 1;
  }
  return scales;
}

std::vector<float> stored_column(const learn::Matrix& dense, Eigen::Index column,
                                 std::span<const float> scales, Kind kind) {
  std::vector<float> sum(scales.size());
  for (const Plane& p : planes_of(dense, column, scales, kind))
    for (size_t r = 0; r < sum.size(); ++r) sum[r] += p.scale * p.values[r];
  for (size_t r = 0; r < sum.size(); ++r) sum[r] *= scales[r];
  return sum;
}

learn::Matrix stored_matrix(const learn::Matrix& dense, Kind kind) {
  const bool floats = kind == Kind::kFloat16 || kind == Kind::kFloat32;
  const std::vector<float> scales =
      floats ? std::vector<float>(static_cast<size_t>(dense.rows()), 1.0f) : row_scales(dense);
  learn::Matrix out(dense.rows(), dense.cols());
  for (Eigen::Index c = 0; c < dense.cols(); ++c) {
    const std::vector<float> stored = stored_column(dense, c, scales, kind);
    out.col(c) = Eigen::Map<const learn::Vector>(stored.data(), static_cast<Eigen::Index>(stored.size()));
  }
  return out;
}

std::string pack_matrix(const learn::Matrix& dense, std::span<const Kind> kinds, RowScales scaled) {
  // Floats need no scales, and are exact without.
  const bool floats = std::all_of(kinds.begin(), kinds.end(),
                                  [](Kind k) { return k == Kind::kFloat32 || k == Kind::kFloat16; });
  const bool each = scaled == RowScales::kEach && !floats;
  const std::vector<float> scales =
      each ? row_scales(dense) : std::vector<float>(static_cast<size_t>(dense.rows()), 1.0f);
  return bytes_of(dense, all_planes(dense, kinds, scales, {}), each ? scales : std::vector<float>());
}

std::string pack_rounded(const learn::Matrix& dense, std::span<const Kind> kinds,
                         std::span<const float> row_scales, std::span<const float> column_scales) {
  const std::vector<float> rows(row_scales.empty() ? static_cast<size_t>(dense.rows()) : 0, 1.0f);
  const std::vector<float> columns(column_scales.empty() ? static_cast<size_t>(dense.cols()) : 0, 1.0f);
  return bytes_of(dense,
                  all_planes(dense, kinds, row_scales.empty() ? rows : row_scales,
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
