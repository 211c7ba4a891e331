// The parts of a model by patches.
#include <algorithm>
#include <cmath>

#include "pack/parts.h"
#include "pack/tiles.h"
#include "parallel.h"

namespace billow::pack {
namespace {

using Eigen::Index;

constexpr Index kPanel = kPanelRows;

Index filled_up(Index rows) { return (rows + kPanel - 1) / kPanel * kPanel; }

// Below this share a vertex does not count, and what is divided by its root may be all rounding.
constexpr float kLeastShare = 1e-6f;

// A patch's basis: where its coefficients, and 1 for the mean, put its vertices in its frame, x y z each. Without their shares all
// vertices count alike, and need the same digits.
learn::Matrix basis_of(const learn::PatchModel& model, size_t patch, Index components) {
  const learn::Basis& b = model.stages[patch].basis;
  learn::Matrix out = learn::Matrix::Zero(b.mean.size(), components + 1);
  for (Index value = 0; value < b.mean.size(); ++value) {
    const float by = 1 / std::sqrt(model.patches[patch].shares[static_cast<size_t>(value / 3)]);
    out.row(value).head(b.components()) = b.modes.col(value).transpose() * by;
    out(value, components) = b.mean[value] * by;
  }
  return out;
}

// The shares of the rows of a patch's basis.
learn::Vector shares_of(const learn::Patch& p) {
  learn::Vector out(static_cast<Index>(3 * p.vertices.size()));
  for (Index value = 0; value < out.size(); ++value) out[value] = p.shares[static_cast<size_t>(value / 3)];
  return out;
}

// Calls with the row of the stored basis, the patch, and the row of that one's own.
template <class F> void for_each_row(const learn::PatchModel& model, F f) {
  Index row = 0;
  for (const Tile& tile : tiles_of(model.patches, static_cast<uint32_t>(model.rest.size())))
    for (const Block& block : tile.blocks)
      for (Index axis = 0; axis < 3; ++axis)
        for (const int32_t place : block.place) {
          if (place != kNotInPatch) f(row, block.patch, 3 * Index{place} + axis);
          ++row;
        }
}

// Blocks below each other.
template <class Block> learn::Matrix stacked(size_t blocks, Index rows, Index columns, Block block) {
  learn::Matrix out = learn::Matrix::Zero(static_cast<Index>(blocks) * filled_up(rows), columns);
  for (size_t p = 0; p < blocks; ++p) {
    const learn::Matrix& m = block(p);
    out.block(static_cast<Index>(p) * filled_up(rows), 0, m.rows(), m.cols()) = m;
  }
  return out;
}

// Sums over all patches of what their vertices are off, squared, when one matrix of the networks is stored in a kind.
class NetworkErrors {
 public:
  explicit NetworkErrors(const learn::PatchModel& model) : model_(model), patches_(model.patches.size()) {
    for_each_in_parallel(patches_.size(), [&](size_t p) {
      Known& k = patches_[p];
      const learn::Network& n = model.stages[p].network;
      k.inputs = typical_inputs(n, kFrames);
      k.right = n(k.inputs);
      k.squares = displacement_squares(model, p);
    });
  }
  // `which`: of the layers, or the linear path behind them; `stored`: of all patches.
  double squares(size_t which, const learn::Matrix& stored) const {
    std::vector<double> sums(patches_.size());
    for_each_in_parallel(patches_.size(), [&](size_t p) {
      learn::Network changed = model_.stages[p].network;
      learn::Matrix& slot = which < changed.layers.size() ? changed.layers[which].weights : changed.linear;
      const Index block = stored.rows() / static_cast<Index>(patches_.size());
      slot = stored.block(static_cast<Index>(p) * block, 0, slot.rows(), slot.cols()).eval();
      const Known& k = patches_[p];
      const learn::Matrix off = changed(k.inputs) - k.right;
      sums[p] = static_cast<double>((off * k.squares).cwiseProduct(off).sum()) / kFrames;
    });
    double sum = 0;
    for (const double s : sums) sum += s;
    return sum;
  }

 private:
  static constexpr Index kFrames = 16;
  struct Known {
    learn::Matrix inputs, right;
    learn::Matrix squares;  // of the cloth's displacement, from coefficients
  };
  const learn::PatchModel& model_;
  std::vector<Known> patches_;
};

}  // namespace

Index most_components(const learn::PatchModel& model) {
  Index most = 0;
  for (const learn::Stage& s : model.stages) most = std::max(most, s.basis.components());
  return most;
}

learn::Matrix displacement_squares(const learn::PatchModel& model, size_t patch) {
  const Index components = model.stages[patch].basis.components();
  const learn::Matrix basis =
      shares_of(model.patches[patch]).asDiagonal() * basis_of(model, patch, components).leftCols(components);
  return basis.transpose() * basis;
}

learn::Matrix basis_scales(const learn::PatchModel& model) {
  const Index components = most_components(model);
  learn::Matrix scales(static_cast<Index>(model.patches.size()), components + 1);
  for (size_t p = 0; p < model.patches.size(); ++p) {
    const learn::Vector counts = (shares_of(model.patches[p]).array() >= kLeastShare).cast<float>();
    const learn::Matrix basis = counts.asDiagonal() * basis_of(model, p, components).cwiseAbs();
    for (Index k = 0; k <= components; ++k) {
      const float largest = basis.rows() > 0 ? basis.col(k).maxCoeff() : 0;
      scales(static_cast<Index>(p), k) = largest > 0 ? largest : 1;
    }
  }
  return scales;
}

Matrices matrices_of(const learn::PatchModel& model) {
  Matrices m;
  m.basis_rows = RowScales::kNone;
  const size_t patches = model.patches.size();
  const Index components = most_components(model);
  const learn::Matrix scales = basis_scales(model);
  std::vector<learn::Matrix> bases;
  for (size_t p = 0; p < patches; ++p) {
    const Eigen::VectorXf inverse = scales.row(static_cast<Index>(p)).cwiseInverse().transpose();
    bases.push_back((basis_of(model, p, components) * inverse.asDiagonal()).cwiseMax(-1.0f).cwiseMin(1.0f));
  }
  Index blocks = 0;
  for (const Tile& t : tiles_of(model.patches, static_cast<uint32_t>(model.rest.size())))
    blocks += static_cast<Index>(t.blocks.size());
  m.basis = learn::Matrix::Zero(3 * kPanel * blocks, components + 1);
  for_each_row(model, [&](Index row, size_t patch, Index own) { m.basis.row(row) = bases[patch].row(own); });
  const learn::Network& first = model.stages[0].network;
  for (size_t k = 0; k < first.layers.size(); ++k) {
    const bool last = k + 1 == first.layers.size();
    m.network.push_back(
        stacked(patches, last ? components : first.layers[k].weights.rows(), first.layers[k].weights.cols(),
                [&](size_t p) -> const learn::Matrix& { return model.stages[p].network.layers[k].weights; }));
    m.network_name.push_back("patches." + std::to_string(k + 1));
  }
  if (first.linear.size() == 0) return m;
  m.network.push_back(
      stacked(patches, components, first.linear.cols(),
              [&](size_t p) -> const learn::Matrix& { return model.stages[p].network.linear; }));
  m.network_name.push_back("patches.linear");
  return m;
}

std::vector<Part> parts_of(const learn::PatchModel& model, const Matrices& m) {
  const Index columns = m.basis.cols();
  const double to_mm2 = 1e6 / static_cast<double>(model.rest.size());
  // How much an entry of the basis counts: the scale and the deviation of its coefficient.
  learn::Matrix weight = basis_scales(model);
  for (size_t p = 0; p < model.stages.size(); ++p) {
    const learn::Vector& deviation = model.stages[p].basis.deviation;
    weight.row(static_cast<Index>(p)).head(deviation.size()).array() *= deviation.transpose().array();
  }
  std::vector<Part> parts(static_cast<size_t>(columns) + m.network.size());
  const std::vector<float> plain(static_cast<size_t>(m.basis.rows()), 1.0f);
  // Of the rows that are a vertex's: what they count for in its place, and whose they are.
  learn::Vector shares = learn::Vector::Zero(m.basis.rows());
  std::vector<Index> patch_of(plain.size());
  for_each_row(model, [&](Index row, size_t patch, Index own) {
    shares[row] = model.patches[patch].shares[static_cast<size_t>(own / 3)];
    patch_of[static_cast<size_t>(row)] = static_cast<Index>(patch);
  });
  for_each_in_parallel(static_cast<size_t>(columns), [&](size_t c) {
    const auto column = static_cast<Index>(c);
    parts[c].numbers = static_cast<double>(m.basis.rows());
    for (size_t k = 0; k < kKinds; ++k) {
      if (static_cast<Kind>(k) == Kind::kFloat32) continue;
      const std::vector<float> stored = stored_column(m.basis, column, plain, static_cast<Kind>(k));
      for (Index row = 0; row < m.basis.rows(); ++row) {
        const auto i = static_cast<size_t>(row);
        const double off = static_cast<double>((stored[i] - m.basis(row, column)) * shares[row] *
                                               weight(patch_of[i], column));
        parts[c].error[k] += to_mm2 * off * off;
      }
    }
  });
  const NetworkErrors errors(model);
  for (size_t i = 0; i < m.network.size(); ++i) {
    Part& part = parts[static_cast<size_t>(columns) + i];
    part.network = true;
    part.numbers = static_cast<double>(m.network[i].size());
    for (size_t k = 0; k < kKinds; ++k)
      if (static_cast<Kind>(k) != Kind::kFloat32)
        part.error[k] = to_mm2 * errors.squares(i, stored_matrix(m.network[i], static_cast<Kind>(k)));
  }
  return parts;
}

}  // namespace billow::pack
