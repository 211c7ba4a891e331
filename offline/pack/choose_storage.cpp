// Mixed storage: everything begins coarse, and what gains most for a byte gets finer until the error is small enough.
// Errors of different parts are independent, so their squares add up.
#include "pack/choose_storage.h"

#include <array>
#include <cmath>
#include <random>
#include <stdexcept>

namespace billow::pack {
namespace {

// Something that is stored in one kind: what each costs.
struct Part {
  double numbers = 0;
  std::array<double, kKinds> error{};  // mm squared
  bool network = false;
};

double mm2(double squares, Eigen::Index values) { return 1e6 * squares / (static_cast<double>(values) / 3); }

Part basis_part(const Matrices& m, Eigen::Index column, std::span<const float> scales) {
  Part part{static_cast<double>(m.basis.rows()), {}, false};
  const std::vector<float> plain(scales.size(), 1.0f);
  const double weight = static_cast<double>(m.weight[static_cast<size_t>(column)]);
  for (size_t k = 0; k < kKinds; ++k) {
    const Kind kind = static_cast<Kind>(k);
    if (kind == Kind::kFloat32) continue;
    const std::vector<float> stored =
        stored_column(m.basis, column, kind == Kind::kFloat16 ? plain : scales, kind);
    double squares = 0;
    for (size_t r = 0; r < stored.size(); ++r) {
      const double e =
          static_cast<double>(stored[r]) - static_cast<double>(m.basis(static_cast<Eigen::Index>(r), column));
      squares += e * e;
    }
    part.error[k] = mm2(squares * weight * weight, m.basis.rows());
  }
  return part;
}

// What comes out of a network that stores one of its matrices in a kind, against what should: for inputs that are spread
// as those it was trained on.
Part network_part(const learn::Network& network, const learn::Matrix* matrix, Eigen::Index values) {
  constexpr Eigen::Index kFrames = 64;
  std::mt19937 random(1);
  std::normal_distribution<float> normal;
  learn::Matrix inputs(kFrames, network.mean.size());
  for (Eigen::Index i = 0; i < inputs.size(); ++i) inputs.data()[i] = normal(random);
  for (Eigen::Index k = 0; k < inputs.cols(); ++k) {
    const float scale = network.scale[k];
    inputs.col(k) = inputs.col(k).array() * (scale != 0 ? 1 / scale : 0.0f) + network.mean[k];
  }
  const learn::Matrix right = network(inputs);
  Part part{static_cast<double>(matrix->size()), {}, true};
  learn::Network changed = network;
  learn::Matrix* slot = &changed.linear;
  for (size_t k = 0; k < network.layers.size(); ++k)
    if (matrix == &network.layers[k].weights) slot = &changed.layers[k].weights;
  const std::vector<float> scales = row_scales(*matrix), plain(scales.size(), 1.0f);
  for (size_t k = 0; k < kKinds; ++k) {
    const Kind kind = static_cast<Kind>(k);
    if (kind == Kind::kFloat32) continue;
    for (Eigen::Index c = 0; c < matrix->cols(); ++c) {
      const auto stored = stored_column(*matrix, c, kind == Kind::kFloat16 ? plain : scales, kind);
      slot->col(c) =
          Eigen::Map<const Eigen::VectorXf>(stored.data(), static_cast<Eigen::Index>(stored.size()));
    }
    const double squares = (changed(inputs) - right).cast<double>().squaredNorm() / kFrames;
    part.error[k] = mm2(squares, values);
  }
  return part;
}

std::vector<Part> parts_of(const learn::Model& model, const Matrices& m) {
  std::vector<Part> parts;
  const std::vector<float> scales = row_scales(m.basis);
  for (Eigen::Index k = 0; k < m.basis.cols(); ++k) parts.push_back(basis_part(m, k, scales));
  for (size_t i = 0; i < m.network.size(); ++i) {
    const bool shape = m.network_name[i].starts_with("shape");
    parts.push_back(
        network_part((shape ? model.shape : model.skinning).network, m.network[i], m.basis.rows()));
  }
  return parts;
}

StorageCost cost_of(const std::vector<Part>& parts, const std::vector<Kind>& kinds, std::string name) {
  StorageCost cost{std::move(name), 0, 0, 0};
  double bytes = 0;
  for (size_t i = 0; i < parts.size(); ++i) {
    const size_t k = static_cast<size_t>(kinds[i]);
    (parts[i].network ? cost.networks : cost.bases) += parts[i].error[k];
    bytes += parts[i].numbers * kKindBytes[k];
  }
  cost.bases = std::sqrt(cost.bases), cost.networks = std::sqrt(cost.networks);
  cost.bytes = static_cast<size_t>(bytes);
  return cost;
}

std::vector<Kind> mixed(const std::vector<Part>& parts, double most_error) {
  std::vector<size_t> level(parts.size(), 0);
  double error = 0;
  for (const Part& p : parts) error += p.error[0];
  // The runtime rounds coefficients and the values between layers to 16 bits; leave that some room.
  const double most = 0.9 * most_error * most_error;
  constexpr size_t kFinest = static_cast<size_t>(Kind::kInt16);
  while (error > most) {
    size_t best = parts.size();
    double best_gain = 0;
    for (size_t i = 0; i < parts.size(); ++i) {
      if (level[i] == kFinest) continue;
      const double gain = (parts[i].error[level[i]] - parts[i].error[level[i] + 1]) / parts[i].numbers;
      if (gain > best_gain) best = i, best_gain = gain;
    }
    if (best == parts.size()) break;  // as fine as it gets
    error -= parts[best].error[level[best]] - parts[best].error[level[best] + 1];
    ++level[best];
  }
  std::vector<Kind> kinds;
  for (const size_t l : level) kinds.push_back(static_cast<Kind>(l));
  return kinds;
}

}  // namespace

double StorageCost::all() const { return std::sqrt(bases * bases + networks * networks); }

Storage storage_named(const std::string& name) {
  constexpr const char* kNames[] = {"mixed", "int8", "int12", "int16", "fp16", "fp32"};
  for (size_t i = 0; i < std::size(kNames); ++i)
    if (name == kNames[i]) return static_cast<Storage>(i);
  throw std::invalid_argument("storage: expected mixed, int8, int12, int16, fp16 or fp32, found " + name);
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
    m.weight.insert(m.weight.end(), b.deviation.data(), b.deviation.data() + b.components());
    m.weight.push_back(1);
  };
  put(skinning, 0);
  if (shaped) put(shape, first);
  const auto add = [&](const learn::Network& n, const std::string& name) {
    for (size_t k = 0; k < n.layers.size(); ++k) {
      m.network.push_back(&n.layers[k].weights);
      m.network_name.push_back(name + "." + std::to_string(k + 1));
    }
    if (n.linear.size() == 0) return;
    m.network.push_back(&n.linear);
    m.network_name.push_back(name + ".linear");
  };
  add(model.skinning.network, "skinning");
  if (shaped) add(model.shape.network, "shape");
  return m;
}

Choice choose_storage(const learn::Model& model, const Matrices& matrices, const PackOptions& options) {
  const std::vector<Part> parts = parts_of(model, matrices);
  constexpr Kind kPlain[] = {Kind::kInt8, Kind::kInt12, Kind::kInt16, Kind::kFloat16, Kind::kFloat32};
  Choice choice;
  std::vector<Kind> kinds;
  for (const Kind k : kPlain)
    choice.others.push_back(
        cost_of(parts, std::vector<Kind>(parts.size(), k), kKindNames[static_cast<size_t>(k)]));
  if (options.storage == Storage::kMixed) {
    kinds = mixed(parts, options.most_error);
    choice.cost = cost_of(parts, kinds, "mixed");
  } else {
    const size_t at = static_cast<size_t>(options.storage) - 1;
    kinds.assign(parts.size(), kPlain[at]);
    choice.cost = choice.others[at];
  }
  const auto split = kinds.begin() + matrices.basis.cols();
  choice.basis.assign(kinds.begin(), split);
  choice.network.assign(split, kinds.end());
  return choice;
}

}  // namespace billow::pack
