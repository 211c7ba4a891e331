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

// What a patch says for each of its columns in some frames, by the columns' scales: x y z of a frame below each other.
using Directions = std::vector<learn::Matrix>;  // one a patch

constexpr Index kExamples = 300;

Directions directions_in(const learn::PatchModel& model, const learn::PatchInputs& all,
                         const learn::Matrix& scales) {
  const Index count = std::min(kExamples, all.bones.rows()), components = model.components();
  learn::PatchInputs frames{learn::Matrix(count, all.bones.cols()), learn::Matrix(count, 3)};
  for (Index f = 0; f < count; ++f) {
    frames.bones.row(f) = all.bones.row(f * all.bones.rows() / count);
    frames.up.row(f) = all.up.row(f * all.bones.rows() / count);
  }
  std::vector<std::vector<learn::PatchFrame>> turned;
  for (Index f = 0; f < count; ++f) turned.push_back(model.turned(frames, f));
  Directions out(model.patches.size());
  for_each_in_parallel(out.size(), [&](size_t p) {
    const learn::Matrix coefficients = model.network_of(p)(model.features(p, frames));
    out[p].resize(3 * count, scales.cols());
    for (Index f = 0; f < count; ++f) {
      const learn::PatchFrame& at = turned[static_cast<size_t>(f)][p];
      const auto put = [&](Index column, V3 v) { out[p].col(column).segment<3>(3 * f) << v.x, v.y, v.z; };
      const auto c = coefficients.row(f);
      for (Index k = 0; k < components; ++k)
        put(k, at.along * c[k] + at.across * c[components + k] + at.normal * c[2 * components + k]);
      put(components, at.origin), put(components + 1, at.along);
      put(components + 2, at.across), put(components + 3, at.normal);
    }
    out[p] *= scales.row(static_cast<Index>(p)).asDiagonal();
  });
  return out;
}

// Of the columns of some patches, one patch after another.
Square spread_together(const std::vector<uint32_t>& patches, const Directions& said) {
  const Index columns = said[0].cols();
  learn::Matrix all(said[0].rows(), static_cast<Index>(patches.size()) * columns);
  for (size_t i = 0; i < patches.size(); ++i)
    all.middleCols(static_cast<Index>(i) * columns, columns) = said[patches[i]];
  Square spread = (all.transpose() * all).cast<double>() / static_cast<double>(all.rows());
  spread.diagonal() *= 1.01;  // frames are a sample
  return spread;
}
// As if they knew nothing of each other.
Square spread_apart(const std::vector<uint32_t>& patches, const learn::Matrix& weights) {
  Eigen::VectorXd squares(static_cast<Index>(patches.size()) * weights.cols());
  for (size_t i = 0; i < patches.size(); ++i)
    squares.segment(static_cast<Index>(i) * weights.cols(), weights.cols()) =
        weights.row(patches[i]).cwiseAbs2().cast<double>() / 3;
  return squares.asDiagonal();
}

}  // namespace

BasisRounding::BasisRounding(const learn::PatchModel& model, const Matrices& matrices,
                             const learn::PatchInputs& frames)
    : basis_(matrices.basis), vertices_(static_cast<double>(model.rest.size())) {
  std::map<std::vector<uint32_t>, std::vector<std::vector<Index>>> rows_of;  // by the patches of vertices
  Index row = 0;
  for (const Tile& tile : tiles_of(model.patches, static_cast<uint32_t>(model.rest.size()))) {
    for (size_t lane = 0; lane < kPanelRows; ++lane) {
      std::vector<uint32_t> patches;
      std::vector<Index> rows;
      for (size_t b = 0; b < tile.blocks.size(); ++b) {
        if (tile.blocks[b].place[lane] == kNotInPatch) continue;
        patches.push_back(tile.blocks[b].patch);
        rows.push_back(row + static_cast<Index>(kPanelRows * b + lane));
      }
      if (!rows.empty()) rows_of[patches].push_back(rows);
    }
    row += static_cast<Index>(kPanelRows * tile.blocks.size());
  }
  std::vector<std::vector<uint32_t>> patches;  // of each group
  for (auto& [own, rows] : rows_of) patches.push_back(own), groups_.push_back({std::move(rows), {}});
  const bool known = frames.bones.rows() > 0;
  const Directions said = known ? directions_in(model, frames, basis_scales(model)) : Directions{};
  const learn::Matrix weights = basis_weights(model);
  for_each_in_parallel(groups_.size(), [&](size_t g) {
    Square& spread = groups_[g].spread;
    spread = known ? spread_together(patches[g], said) : spread_apart(patches[g], weights);
    spread.diagonal().array() += 1e-12;  // columns that nothing is said for
  });
}

BasisRounding::Rounded BasisRounding::round(std::span<const Kind> kinds) const {
  Rounded out{basis_, 0};
  std::vector<double> errors(groups_.size());
  for_each_in_parallel(groups_.size(), [&](size_t g) { errors[g] = round(groups_[g], kinds, out.basis); });
  out.error = std::accumulate(errors.begin(), errors.end(), 0.0) / vertices_;
  return out;
}

// Returns the sum over its vertices, mm squared.
double BasisRounding::round(const Group& group, std::span<const Kind> kinds, learn::Matrix& basis) const {
  const Index columns = basis.cols(), size = group.spread.rows();
  const auto is_fine = [&](Index c) { return kinds[static_cast<size_t>(c % columns)] == Kind::kInt16; };
  // Those first that count least; the fine ones last.
  Order order(static_cast<size_t>(size));
  std::iota(order.begin(), order.end(), Index{0});
  std::sort(order.begin(), order.end(), [&](Index a, Index b) {
    return std::tuple(is_fine(a), group.spread(a, a), a) < std::tuple(is_fine(b), group.spread(b, b), b);
  });
  const Index fine = std::count_if(order.begin(), order.end(), is_fine);
  const Square factor = factor_of(group.spread, order);
  double sum = 0;
  for (const std::vector<Index>& rows : group.rows) {
    Eigen::RowVectorXd exact(size);
    for (size_t i = 0; i < rows.size(); ++i)
      exact.segment(static_cast<Index>(i) * columns, columns) =
          basis_.row(rows[i]).cast<double>() * kByteSteps;
    Eigen::RowVectorXd rounded = exact;
    quantise_row(factor, order, fine, Eigen::RowVectorXd::Ones(rounded.size()), rounded);
    for (size_t i = 0; i < rows.size(); ++i)
      basis.row(rows[i]) =
          (rounded.segment(static_cast<Index>(i) * columns, columns) / kByteSteps).cast<float>();
    const Eigen::RowVectorXd off = (rounded - exact) / kByteSteps;
    sum += 3e6 * (off * group.spread).dot(off);
  }
  return sum;
}

}  // namespace billow::pack
