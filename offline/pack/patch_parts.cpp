// The parts of a model by patches.
#include <algorithm>
#include <cmath>

#include "decode/tile.h"
#include "pack/parts.h"
#include "pack/tiles.h"
#include "parallel.h"

namespace billow::pack {
namespace {

using Eigen::Index;

constexpr Index kPanel = kPanelRows;

Index filled_up(Index rows) { return (rows + kPanel - 1) / kPanel * kPanel; }

// Calls with the row of the stored basis, the patch, and the row of that one's own.
template <class F> void for_each_row(const std::vector<Tile>& tiles, F f) {
  Index row = 0;
  for (const Tile& tile : tiles)
    for (const Block& block : tile.blocks)
      for (const int32_t place : block.place) {
        if (place != kNotInPatch) f(row, block.patch, Index{place});
        ++row;
      }
}

std::vector<Tile> tiles_of(const learn::PatchModel& model) {
  return pack::tiles_of(model.patches, static_cast<uint32_t>(model.rest.size()));
}

// A matrix of all networks, below each other.
template <class Of>
learn::Matrix stacked(const std::vector<learn::Network>& networks, Index rows, Index columns, Of of) {
  learn::Matrix out = learn::Matrix::Zero(static_cast<Index>(networks.size()) * filled_up(rows), columns);
  Index at = 0;
  for (const learn::Network& n : networks) {
    const learn::Matrix& m = of(n);
    out.block(at, 0, m.rows(), m.cols()) = m;
    at += filled_up(rows);
  }
  return out;
}

// Sums over all patches of what their vertices are off, squared, when one matrix of the networks is stored in a kind.
class NetworkErrors {
 public:
  explicit NetworkErrors(const learn::PatchModel& model) : model_(model), known_(model.networks.size()) {
    const auto patches_of = model.patches_of_networks();
    for_each_in_parallel(known_.size(), [&](size_t n) {
      Known& k = known_[n];
      k.inputs = typical_inputs(model.networks[n], kFrames);
      k.right = model.networks[n](k.inputs);
      k.squares = displacement_squares(model, patches_of[n]);
    });
  }
  // `which`: of the layers, or the linear path behind them; `stored`: of all networks.
  double squares(size_t which, const learn::Matrix& stored) const {
    std::vector<double> sums(known_.size());
    for_each_in_parallel(known_.size(), [&](size_t n) {
      learn::Network changed = model_.networks[n];
      learn::Matrix& slot = which < changed.layers.size() ? changed.layers[which].weights : changed.linear;
      const Index block = stored.rows() / static_cast<Index>(known_.size());
      slot = stored.block(static_cast<Index>(n) * block, 0, slot.rows(), slot.cols()).eval();
      const Known& k = known_[n];
      const learn::Matrix off = changed(k.inputs) - k.right;
      sums[n] = static_cast<double>((off * k.squares).cwiseProduct(off).sum()) / kFrames;
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
  std::vector<Known> known_;
};

}  // namespace

learn::Matrix displacement_squares(const learn::PatchModel& model, std::span<const uint32_t> patches) {
  const Index components = model.components();
  learn::Matrix out = learn::Matrix::Zero(3 * components, 3 * components);
  for (const uint32_t p : patches) {
    const learn::Matrix basis = model.shared_basis(p).leftCols(components);
    for (Index axis = 0; axis < 3; ++axis)
      out.block(axis * components, axis * components, components, components) += basis.transpose() * basis;
  }
  return out;
}

learn::Matrix basis_scales(const learn::PatchModel& model) {
  learn::Matrix scales(static_cast<Index>(model.patches.size()), model.components() + Index{kRigidColumns});
  for (size_t p = 0; p < model.patches.size(); ++p) {
    const learn::Matrix basis = model.shared_basis(p);
    for (Index k = 0; k < scales.cols(); ++k) {
      const float largest = basis.rows() > 0 ? basis.col(k).cwiseAbs().maxCoeff() : 0;
      scales(static_cast<Index>(p), k) = largest > 0 ? largest : 1;
    }
  }
  return scales;
}

learn::Matrix basis_weights(const learn::PatchModel& model) {
  learn::Matrix weights = basis_scales(model);
  float distance = 0;  // of patches from where places are counted from
  for (const learn::Patch& p : model.patches)
    distance += dot(model.bone_rest[p.bone], model.bone_rest[p.bone]);
  distance = std::sqrt(distance / static_cast<float>(model.patches.size()));
  for (size_t p = 0; p < model.bases.size(); ++p) {
    const learn::PatchBasis& b = model.bases[p];
    const Eigen::Map<const Eigen::MatrixX3f> deviations(b.deviation.data(), b.components(), 3);
    learn::Vector lengths(weights.cols());
    lengths << deviations.rowwise().norm(), distance, 1, 1, 1;
    weights.row(static_cast<Index>(p)).array() *= lengths.transpose().array();
  }
  return weights;
}

Matrices matrices_of(const learn::PatchModel& model) {
  Matrices m;
  m.basis_rows = RowScales::kNone;
  const learn::Matrix scales = basis_scales(model);
  std::vector<learn::Matrix> bases;
  for (size_t p = 0; p < model.patches.size(); ++p) {
    const Eigen::VectorXf inverse = scales.row(static_cast<Index>(p)).cwiseInverse().transpose();
    bases.push_back((model.shared_basis(p) * inverse.asDiagonal()).cwiseMax(-1.0f).cwiseMin(1.0f));
  }
  const std::vector<Tile> tiles = tiles_of(model);
  Index blocks = 0;
  for (const Tile& t : tiles) blocks += static_cast<Index>(t.blocks.size());
  m.basis = learn::Matrix::Zero(kPanel * blocks, scales.cols());
  for_each_row(tiles, [&](Index row, size_t patch, Index own) { m.basis.row(row) = bases[patch].row(own); });
  const learn::Network& first = model.networks[0];
  for (size_t k = 0; k < first.layers.size(); ++k) {
    m.network.push_back(
        stacked(model.networks, first.layers[k].weights.rows(), first.layers[k].weights.cols(),
                [&](const learn::Network& n) -> const learn::Matrix& { return n.layers[k].weights; }));
    m.network_name.push_back("patches." + std::to_string(k + 1));
  }
  if (first.linear.size() == 0) return m;
  m.network.push_back(stacked(model.networks, first.linear.rows(), first.linear.cols(),
                              [](const learn::Network& n) -> const learn::Matrix& { return n.linear; }));
  m.network_name.push_back("patches.linear");
  return m;
}

std::vector<Part> parts_of(const learn::PatchModel& model, const Matrices& m) {
  const Index columns = m.basis.cols();
  const double to_mm2 = 1e6 / static_cast<double>(model.rest.size());
  const learn::Matrix weight = basis_weights(model);
  std::vector<Part> parts(static_cast<size_t>(columns) + m.network.size());
  const std::vector<float> plain(static_cast<size_t>(m.basis.rows()), 1.0f);
  // Of rows that are nobody's the entries are 0, whosever they are.
  std::vector<Index> patch_of(plain.size());
  for_each_row(tiles_of(model), [&](Index row, size_t patch, Index) {
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
        const double off =
            static_cast<double>((stored[i] - m.basis(row, column)) * weight(patch_of[i], column));
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
