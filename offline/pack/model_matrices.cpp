#include "pack/model_matrices.h"

#include <algorithm>
#include <cmath>
#include <random>

#include "decode/tile.h"
#include "pack/tiles.h"
#include "parallel.h"

namespace billow::pack {
namespace {

using Eigen::Index;

constexpr Index kPanel = kPanelRows;

// Sum of squares over `values` coordinates to mm squared, mean over vertices.
double mm2(double squared, Eigen::Index values) { return 1e6 * squared / (static_cast<double>(values) / 3); }

QuantisationUnit basis_unit(const learn::Matrix& basis, Eigen::Index column, double deviation,
                            std::span<const float> scales) {
  QuantisationUnit unit{static_cast<double>(basis.rows()), {}, false};
  const std::vector<float> ones(scales.size(), 1.0f);
  for (size_t k = 0; k < kFormatCount; ++k) {
    const Format format = static_cast<Format>(k);
    if (format == Format::kFloat32) continue;
    const std::vector<float> stored =
        stored_column(basis, column, format == Format::kFloat16 ? ones : scales, format);
    double squared = 0;
    for (size_t r = 0; r < stored.size(); ++r) {
      const double e =
          static_cast<double>(stored[r]) - static_cast<double>(basis(static_cast<Eigen::Index>(r), column));
      squared += e * e;
    }
    unit.error[k] = mm2(squared * deviation * deviation, basis.rows());
  }
  return unit;
}

// The matrices of a network, in the order of ModelMatrices::network.
std::vector<learn::Matrix*> matrices_in(learn::Network& network) {
  std::vector<learn::Matrix*> out;
  for (learn::Layer& layer : network.layers) out.push_back(&layer.weights);
  if (network.linear.size() > 0) out.push_back(&network.linear);
  return out;
}

// Output error of a network with one of its matrices quantised.
QuantisationUnit network_unit(const learn::Network& network, size_t which, Eigen::Index values) {
  constexpr Eigen::Index kFrames = 64;
  const learn::Matrix inputs = typical_inputs(network, kFrames), expected = network(inputs);
  learn::Network quantised = network;
  learn::Matrix& slot = *matrices_in(quantised)[which];
  const learn::Matrix matrix = slot;
  QuantisationUnit unit{static_cast<double>(matrix.size()), {}, true};
  for (size_t k = 0; k < kFormatCount; ++k) {
    if (static_cast<Format>(k) == Format::kFloat32) continue;
    slot = stored_matrix(matrix, static_cast<Format>(k));
    const double squared = (quantised(inputs) - expected).cast<double>().squaredNorm() / kFrames;
    unit.error[k] = mm2(squared, values);
  }
  return unit;
}

Index padded(Index rows) { return (rows + kPanel - 1) / kPanel * kPanel; }

// Calls f(row of the stored basis, patch, row of the patch's own basis).
template <class F> void for_each_row(const std::vector<Tile>& tiles, F f) {
  Index row = 0;
  for (const Tile& tile : tiles)
    for (const Block& block : tile.blocks)
      for (const int32_t index : block.index) {
        if (index != kNotInPatch) f(row, block.patch, Index{index});
        ++row;
      }
}

std::vector<Tile> tiles_of(const learn::PatchModel& model) {
  return pack::tiles_of(model.patches, static_cast<uint32_t>(model.rest.size()));
}

// Stacks one matrix of all networks.
template <class Of>
learn::Matrix stack(const std::vector<learn::Network>& networks, Index rows, Index columns, Of of) {
  learn::Matrix out = learn::Matrix::Zero(static_cast<Index>(networks.size()) * padded(rows), columns);
  Index at = 0;
  for (const learn::Network& n : networks) {
    const learn::Matrix& m = of(n);
    out.block(at, 0, m.rows(), m.cols()) = m;
    at += padded(rows);
  }
  return out;
}

// Sum of the squared vertex errors over all patches with one matrix of the networks quantised.
class NetworkErrorMeter {
 public:
  explicit NetworkErrorMeter(const learn::PatchModel& model)
      : model_(model), references_(model.networks.size()) {
    const auto patches_of = model.patches_of_networks();
    for_each_in_parallel(references_.size(), [&](size_t n) {
      Reference& r = references_[n];
      r.inputs = typical_inputs(model.networks[n], kFrames);
      r.expected = model.networks[n](r.inputs);
      r.metric = displacement_metric(model, patches_of[n]);
    });
  }
  // `which`: a layer, or the linear path after them; `stored`: the quantised matrix, stacked over all networks.
  double squared_error(size_t which, const learn::Matrix& stored) const {
    std::vector<double> sums(references_.size());
    for_each_in_parallel(references_.size(), [&](size_t n) {
      learn::Network quantised = model_.networks[n];
      learn::Matrix& slot =
          which < quantised.layers.size() ? quantised.layers[which].weights : quantised.linear;
      const Index block = stored.rows() / static_cast<Index>(references_.size());
      slot = stored.block(static_cast<Index>(n) * block, 0, slot.rows(), slot.cols()).eval();
      const Reference& r = references_[n];
      const learn::Matrix error = quantised(r.inputs) - r.expected;
      sums[n] = static_cast<double>((error * r.metric).cwiseProduct(error).sum()) / kFrames;
    });
    double sum = 0;
    for (const double s : sums) sum += s;
    return sum;
  }

 private:
  static constexpr Index kFrames = 16;
  struct Reference {
    learn::Matrix inputs, expected;
    learn::Matrix metric;  // displacement_metric
  };
  const learn::PatchModel& model_;
  std::vector<Reference> references_;
};

}  // namespace

learn::Matrix typical_inputs(const learn::Network& network, Eigen::Index frames) {
  std::mt19937 random(1);
  std::normal_distribution<float> normal;
  learn::Matrix inputs(frames, network.mean.size());
  for (Eigen::Index i = 0; i < inputs.size(); ++i) inputs.data()[i] = normal(random);
  for (Eigen::Index k = 0; k < inputs.cols(); ++k) {
    const float scale = network.scale[k];
    inputs.col(k) = inputs.col(k).array() * (scale != 0 ? 1 / scale : 0.0f) + network.mean[k];
  }
  return inputs;
}

ModelMatrices matrices_of(const learn::Model& model) {
  ModelMatrices m;
  const learn::Basis &skinning = model.skinning.basis, &shape = model.shape.basis;
  const bool with_shape = shape.components() > 0;
  const Eigen::Index first = skinning.components() + 1;
  m.basis.resize(skinning.values(), first + (with_shape ? shape.components() + 1 : 0));
  const auto put = [&](const learn::Basis& b, Eigen::Index at) {
    m.basis.middleCols(at, b.components()) = b.modes.transpose();
    m.basis.col(at + b.components()) = b.mean;
  };
  put(skinning, 0);
  if (with_shape) put(shape, first);
  const auto add = [&](learn::Network n, const std::string& name) {
    for (size_t k = 0; k < n.layers.size(); ++k) m.network_name.push_back(name + "." + std::to_string(k + 1));
    if (n.linear.size() > 0) m.network_name.push_back(name + ".linear");
    for (learn::Matrix* matrix : matrices_in(n)) m.network.push_back(std::move(*matrix));
  };
  add(model.skinning.network, "skinning");
  if (with_shape) add(model.shape.network, "shape");
  return m;
}

std::vector<QuantisationUnit> quantisation_units(const learn::Model& model, const ModelMatrices& m) {
  std::vector<QuantisationUnit> units;
  const std::vector<float> scales = row_scales(m.basis);
  const auto add = [&](const learn::Stage& stage) {
    for (Eigen::Index k = 0; k <= stage.basis.components(); ++k) {
      const bool mean = k == stage.basis.components();
      units.push_back(basis_unit(m.basis, static_cast<Eigen::Index>(units.size()),
                                 mean ? 1 : static_cast<double>(stage.basis.deviation[k]), scales));
    }
  };
  add(model.skinning);
  const bool with_shape = model.shape.basis.components() > 0;
  if (with_shape) add(model.shape);
  const auto add_network = [&](const learn::Network& n) {
    for (size_t i = 0; i < n.layers.size() + (n.linear.size() > 0); ++i)
      units.push_back(network_unit(n, i, m.basis.rows()));
  };
  add_network(model.skinning.network);
  if (with_shape) add_network(model.shape.network);
  return units;
}

learn::Matrix displacement_metric(const learn::PatchModel& model, std::span<const uint32_t> patches) {
  const Index components = model.components();
  learn::Matrix out = learn::Matrix::Zero(3 * components, 3 * components);
  for (const uint32_t p : patches) {
    const learn::Matrix basis = model.weighted_basis(p).leftCols(components);
    for (Index axis = 0; axis < 3; ++axis)
      out.block(axis * components, axis * components, components, components) += basis.transpose() * basis;
  }
  return out;
}

learn::Matrix basis_scales(const learn::PatchModel& model) {
  learn::Matrix scales(static_cast<Index>(model.patches.size()), model.components() + Index{kRigidColumns});
  for (size_t p = 0; p < model.patches.size(); ++p) {
    const learn::Matrix basis = model.weighted_basis(p);
    for (Index k = 0; k < scales.cols(); ++k) {
      const float largest = basis.rows() > 0 ? basis.col(k).cwiseAbs().maxCoeff() : 0;
      scales(static_cast<Index>(p), k) = largest > 0 ? largest : 1;
    }
  }
  return scales;
}

learn::Matrix basis_weights(const learn::PatchModel& model) {
  learn::Matrix weights = basis_scales(model);
  float origin_distance = 0;  // RMS distance of patches from the origin of rest space
  for (const learn::Patch& p : model.patches)
    origin_distance += dot(model.bone_rest[p.bone], model.bone_rest[p.bone]);
  origin_distance = std::sqrt(origin_distance / static_cast<float>(model.patches.size()));
  for (size_t p = 0; p < model.bases.size(); ++p) {
    const learn::PatchBasis& b = model.bases[p];
    const Eigen::Map<const Eigen::MatrixX3f> deviations(b.deviation.data(), b.components(), 3);
    learn::Vector lengths(weights.cols());
    lengths << deviations.rowwise().norm(), origin_distance, 1, 1, 1;
    weights.row(static_cast<Index>(p)).array() *= lengths.transpose().array();
  }
  return weights;
}

ModelMatrices matrices_of(const learn::PatchModel& model) {
  ModelMatrices m;
  m.basis_rows = RowScales::kNone;
  const learn::Matrix scales = basis_scales(model);
  std::vector<learn::Matrix> bases;
  for (size_t p = 0; p < model.patches.size(); ++p) {
    const Eigen::VectorXf inverse = scales.row(static_cast<Index>(p)).cwiseInverse().transpose();
    bases.push_back((model.weighted_basis(p) * inverse.asDiagonal()).cwiseMax(-1.0f).cwiseMin(1.0f));
  }
  const std::vector<Tile> tiles = tiles_of(model);
  Index blocks = 0;
  for (const Tile& t : tiles) blocks += static_cast<Index>(t.blocks.size());
  m.basis = learn::Matrix::Zero(kPanel * blocks, scales.cols());
  for_each_row(tiles, [&](Index row, size_t patch, Index own) { m.basis.row(row) = bases[patch].row(own); });
  const learn::Network& first = model.networks[0];
  for (size_t k = 0; k < first.layers.size(); ++k) {
    m.network.push_back(
        stack(model.networks, first.layers[k].weights.rows(), first.layers[k].weights.cols(),
              [&](const learn::Network& n) -> const learn::Matrix& { return n.layers[k].weights; }));
    m.network_name.push_back("patches." + std::to_string(k + 1));
  }
  if (first.linear.size() == 0) return m;
  m.network.push_back(stack(model.networks, first.linear.rows(), first.linear.cols(),
                            [](const learn::Network& n) -> const learn::Matrix& { return n.linear; }));
  m.network_name.push_back("patches.linear");
  return m;
}

std::vector<QuantisationUnit> quantisation_units(const learn::PatchModel& model, const ModelMatrices& m) {
  const Index columns = m.basis.cols();
  const double to_mm2 = 1e6 / static_cast<double>(model.rest.size());
  const learn::Matrix weight = basis_weights(model);
  std::vector<QuantisationUnit> units(static_cast<size_t>(columns) + m.network.size());
  const std::vector<float> ones(static_cast<size_t>(m.basis.rows()), 1.0f);
  // Padding rows are 0 and keep patch 0.
  std::vector<Index> patch_of(ones.size());
  for_each_row(tiles_of(model), [&](Index row, size_t patch, Index) {
    patch_of[static_cast<size_t>(row)] = static_cast<Index>(patch);
  });
  for_each_in_parallel(static_cast<size_t>(columns), [&](size_t c) {
    const auto column = static_cast<Index>(c);
    units[c].values = static_cast<double>(m.basis.rows());
    for (size_t k = 0; k < kFormatCount; ++k) {
      if (static_cast<Format>(k) == Format::kFloat32) continue;
      const std::vector<float> stored = stored_column(m.basis, column, ones, static_cast<Format>(k));
      for (Index row = 0; row < m.basis.rows(); ++row) {
        const auto i = static_cast<size_t>(row);
        const double error =
            static_cast<double>((stored[i] - m.basis(row, column)) * weight(patch_of[i], column));
        units[c].error[k] += to_mm2 * error * error;
      }
    }
  });
  const NetworkErrorMeter errors(model);
  for (size_t i = 0; i < m.network.size(); ++i) {
    QuantisationUnit& unit = units[static_cast<size_t>(columns) + i];
    unit.network = true;
    unit.values = static_cast<double>(m.network[i].size());
    for (size_t k = 0; k < kFormatCount; ++k)
      if (static_cast<Format>(k) != Format::kFloat32)
        unit.error[k] = to_mm2 * errors.squared_error(i, stored_matrix(m.network[i], static_cast<Format>(k)));
  }
  return units;
}

}  // namespace billow::pack
