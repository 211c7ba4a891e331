#include "pack/quantise_basis.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>

#include "decode/tile.h"
#include "pack/tiles.h"
#include "parallel.h"

namespace billow::pack {
namespace {

using Eigen::Index;

// The vectors that a patch's basis columns are multiplied by, times the columns' scales. Rows: x, y, z of each frame.
using ColumnInputs = std::vector<learn::Matrix>;  // one a patch

constexpr Index kHessianFrames = 300;  // at most

ColumnInputs column_inputs(const learn::PatchModel& model, const learn::PatchInputs& all,
                           const learn::Matrix& scales) {
  const Index count = std::min(kHessianFrames, all.bones.rows()), components = model.components();
  learn::PatchInputs calibration{learn::Matrix(count, all.bones.cols()), learn::Matrix(count, 3)};
  for (Index f = 0; f < count; ++f) {
    calibration.bones.row(f) = all.bones.row(f * all.bones.rows() / count);
    calibration.up.row(f) = all.up.row(f * all.bones.rows() / count);
  }
  std::vector<std::vector<learn::PatchFrame>> patch_frames;
  for (Index f = 0; f < count; ++f) patch_frames.push_back(model.patch_frames(calibration, f));
  ColumnInputs out(model.patches.size());
  for_each_in_parallel(out.size(), [&](size_t p) {
    const learn::Matrix coefficients = model.network_of(p)(model.features(p, calibration));
    out[p].resize(3 * count, scales.cols());
    for (Index f = 0; f < count; ++f) {
      const learn::PatchFrame& frame = patch_frames[static_cast<size_t>(f)][p];
      const auto put = [&](Index column, V3 v) { out[p].col(column).segment<3>(3 * f) << v.x, v.y, v.z; };
      const auto c = coefficients.row(f);
      for (Index k = 0; k < components; ++k)
        put(k, frame.along * c[k] + frame.across * c[components + k] + frame.normal * c[2 * components + k]);
      put(components, frame.origin), put(components + 1, frame.along);
      put(components + 2, frame.across), put(components + 3, frame.normal);
    }
    out[p] *= scales.row(static_cast<Index>(p)).asDiagonal();
  });
  return out;
}

// Second moments of the inputs of some patches' columns, one patch after another.
SquareMatrix hessian_of(const std::vector<uint32_t>& patches, const ColumnInputs& inputs) {
  const Index columns = inputs[0].cols();
  learn::Matrix all(inputs[0].rows(), static_cast<Index>(patches.size()) * columns);
  for (size_t i = 0; i < patches.size(); ++i)
    all.middleCols(static_cast<Index>(i) * columns, columns) = inputs[patches[i]];
  SquareMatrix hessian = (all.transpose() * all).cast<double>() / static_cast<double>(all.rows());
  hessian.diagonal() *= 1.01;  // dampening: frames are a sample
  return hessian;
}

// The same for uncorrelated inputs.
SquareMatrix diagonal_hessian(const std::vector<uint32_t>& patches, const learn::Matrix& weights) {
  Eigen::VectorXd squares(static_cast<Index>(patches.size()) * weights.cols());
  for (size_t i = 0; i < patches.size(); ++i)
    squares.segment(static_cast<Index>(i) * weights.cols(), weights.cols()) =
        weights.row(patches[i]).cwiseAbs2().cast<double>() / 3;
  return squares.asDiagonal();
}

}  // namespace

BasisQuantiser::BasisQuantiser(const learn::PatchModel& model, const ModelMatrices& matrices,
                               const learn::PatchInputs& calibration)
    : basis_(matrices.basis), vertices_(static_cast<double>(model.rest.size())) {
  std::map<std::vector<uint32_t>, std::vector<std::vector<Index>>> rows_of;  // by set of patches
  Index row = 0;
  for (const Tile& tile : tiles_of(model.patches, static_cast<uint32_t>(model.rest.size()))) {
    for (size_t lane = 0; lane < kPanelRows; ++lane) {
      std::vector<uint32_t> patches;
      std::vector<Index> rows;
      for (size_t b = 0; b < tile.blocks.size(); ++b) {
        if (tile.blocks[b].index[lane] == kNotInPatch) continue;
        patches.push_back(tile.blocks[b].patch);
        rows.push_back(row + static_cast<Index>(kPanelRows * b + lane));
      }
      if (!rows.empty()) rows_of[patches].push_back(rows);
    }
    row += static_cast<Index>(kPanelRows * tile.blocks.size());
  }
  std::vector<std::vector<uint32_t>> patches;  // of each group
  for (auto& [own, rows] : rows_of) patches.push_back(own), groups_.push_back({std::move(rows), {}});
  const bool calibrated = calibration.bones.rows() > 0;
  const ColumnInputs inputs =
      calibrated ? column_inputs(model, calibration, basis_scales(model)) : ColumnInputs{};
  const learn::Matrix weights = basis_weights(model);
  for_each_in_parallel(groups_.size(), [&](size_t g) {
    SquareMatrix& hessian = groups_[g].hessian;
    hessian = calibrated ? hessian_of(patches[g], inputs) : diagonal_hessian(patches[g], weights);
    hessian.diagonal().array() += 1e-12;  // for columns whose inputs are all 0
  });
}

BasisQuantiser::Quantised BasisQuantiser::quantise(std::span<const Format> formats) const {
  Quantised out{basis_, 0};
  std::vector<double> errors(groups_.size());
  for_each_in_parallel(groups_.size(),
                       [&](size_t g) { errors[g] = quantise(groups_[g], formats, out.basis); });
  out.error = std::accumulate(errors.begin(), errors.end(), 0.0) / vertices_;
  return out;
}

// Returns the sum of squared errors over the group's vertices, mm squared.
double BasisQuantiser::quantise(const Group& group, std::span<const Format> formats,
                                learn::Matrix& basis) const {
  const Index columns = basis.cols(), size = group.hessian.rows();
  const auto is_int16 = [&](Index c) { return formats[static_cast<size_t>(c % columns)] == Format::kInt16; };
  // Round columns in ascending order of importance, int16 columns last.
  ColumnOrder order(static_cast<size_t>(size));
  std::iota(order.begin(), order.end(), Index{0});
  std::sort(order.begin(), order.end(), [&](Index a, Index b) {
    return std::tuple(is_int16(a), group.hessian(a, a), a) < std::tuple(is_int16(b), group.hessian(b, b), b);
  });
  const Index int16_count = std::count_if(order.begin(), order.end(), is_int16);
  const SquareMatrix factor = inverse_hessian_factor(group.hessian, order);
  double sum = 0;
  for (const std::vector<Index>& rows : group.rows) {
    Eigen::RowVectorXd exact(size);
    for (size_t i = 0; i < rows.size(); ++i)
      exact.segment(static_cast<Index>(i) * columns, columns) = basis_.row(rows[i]).cast<double>() * kInt8Max;
    Eigen::RowVectorXd quantised = exact;
    gptq_row(factor, order, int16_count, Eigen::RowVectorXd::Ones(quantised.size()), quantised);
    for (size_t i = 0; i < rows.size(); ++i)
      basis.row(rows[i]) =
          (quantised.segment(static_cast<Index>(i) * columns, columns) / kInt8Max).cast<float>();
    const Eigen::RowVectorXd error = (quantised - exact) / kInt8Max;
    sum += 3e6 * (error * group.hessian).dot(error);
  }
  return sum;
}

}  // namespace billow::pack
