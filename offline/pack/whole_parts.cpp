// The parts of a model of the whole cloth.
#include <cmath>
#include <random>

#include "pack/parts.h"

namespace billow::pack {
namespace {

double mm2(double squares, Eigen::Index values) { return 1e6 * squares / (static_cast<double>(values) / 3); }

Part basis_part(const learn::Matrix& basis, Eigen::Index column, double deviation,
                std::span<const float> scales) {
  Part part{static_cast<double>(basis.rows()), {}, false};
  const std::vector<float> plain(scales.size(), 1.0f);
  for (size_t k = 0; k < kKinds; ++k) {
    const Kind kind = static_cast<Kind>(k);
    if (kind == Kind::kFloat32) continue;
    const std::vector<float> stored =
        stored_column(basis, column, kind == Kind::kFloat16 ? plain : scales, kind);
    double squares = 0;
    for (size_t r = 0; r < stored.size(); ++r) {
      const double e =
          static_cast<double>(stored[r]) - static_cast<double>(basis(static_cast<Eigen::Index>(r), column));
      squares += e * e;
    }
    part.error[k] = mm2(squares * deviation * deviation, basis.rows());
  }
  return part;
}

// The matrices of a network, in the order of Matrices.
std::vector<learn::Matrix*> matrices_in(learn::Network& network) {
  std::vector<learn::Matrix*> out;
  for (learn::Layer& layer : network.layers) out.push_back(&layer.weights);
  if (network.linear.size() > 0) out.push_back(&network.linear);
  return out;
}

// What comes out of a network that stores one of its matrices in a kind, against what should.
Part network_part(const learn::Network& network, size_t which, Eigen::Index values) {
  constexpr Eigen::Index kFrames = 64;
  const learn::Matrix inputs = typical_inputs(network, kFrames), right = network(inputs);
  learn::Network changed = network;
  learn::Matrix& slot = *matrices_in(changed)[which];
  const learn::Matrix matrix = slot;
  Part part{static_cast<double>(matrix.size()), {}, true};
  for (size_t k = 0; k < kKinds; ++k) {
    if (static_cast<Kind>(k) == Kind::kFloat32) continue;
    slot = stored_matrix(matrix, static_cast<Kind>(k));
    const double squares = (changed(inputs) - right).cast<double>().squaredNorm() / kFrames;
    part.error[k] = mm2(squares, values);
  }
  return part;
}

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

Matrices matrices_of(const learn::Model& model) {
  Matrices m;
  const learn::Basis &skinning = model.skinning.basis, &shape = model.shape.basis;
  const bool shaped = shape.components() > 0;
  const Eigen::Index first = skinning.components() + 1;
  m.basis.resize(skinning.values(), first + (shaped ? shape.components() + 1 : 0));
  const auto put = [&](const learn::Basis& b, Eigen::Index at) {
    m.basis.middleCols(at, b.components()) = b.modes.transpose();
    m.basis.col(at + b.components()) = b.mean;
  };
  put(skinning, 0);
  if (shaped) put(shape, first);
  const auto add = [&](learn::Network n, const std::string& name) {
    for (size_t k = 0; k < n.layers.size(); ++k) m.network_name.push_back(name + "." + std::to_string(k + 1));
    if (n.linear.size() > 0) m.network_name.push_back(name + ".linear");
    for (learn::Matrix* matrix : matrices_in(n)) m.network.push_back(std::move(*matrix));
  };
  add(model.skinning.network, "skinning");
  if (shaped) add(model.shape.network, "shape");
  return m;
}

std::vector<Part> parts_of(const learn::Model& model, const Matrices& m) {
  std::vector<Part> parts;
  const std::vector<float> scales = row_scales(m.basis);
  const auto add = [&](const learn::Stage& stage) {
    for (Eigen::Index k = 0; k <= stage.basis.components(); ++k) {
      const bool mean = k == stage.basis.components();
      parts.push_back(basis_part(m.basis, static_cast<Eigen::Index>(parts.size()),
                                 mean ? 1 : static_cast<double>(stage.basis.deviation[k]), scales));
    }
  };
  add(model.skinning);
  const bool shaped = model.shape.basis.components() > 0;
  if (shaped) add(model.shape);
  const auto add_network = [&](const learn::Network& n) {
    for (size_t i = 0; i < n.layers.size() + (n.linear.size() > 0); ++i)
      parts.push_back(network_part(n, i, m.basis.rows()));
  };
  add_network(model.skinning.network);
  if (shaped) add_network(model.shape.network);
  return parts;
}

}  // namespace billow::pack
