// Networks of the whole cloth as sections, and back.
#include "pack/model_sections.h"
#include "pack/pack_matrix.h"

namespace billow::pack {
namespace {

using namespace asset;

void add_network(SectionFile& file, const learn::Network& n, const learn::Vector& deviation,
                 const std::string& name) {
  NetworkRecord record{};
  record.inputs = static_cast<uint32_t>(n.mean.size());
  record.outputs = static_cast<uint32_t>(deviation.size());
  record.layers = static_cast<uint32_t>(n.layers.size());
  record.activation = static_cast<uint32_t>(n.activation);
  record.linear = n.linear.size() > 0;
  for (size_t k = 0; k < n.layers.size(); ++k)
    record.units[k] = static_cast<uint32_t>(n.layers[k].bias.size());
  std::string bytes(reinterpret_cast<const char*>(&record), sizeof record);
  const auto put = [&](const learn::Vector& v) {
    bytes.append(reinterpret_cast<const char*>(v.data()), static_cast<size_t>(v.size()) * 4);
  };
  put(n.mean), put(n.scale), put(deviation);
  for (size_t k = 0; k < n.layers.size(); ++k) {
    // The linear path's bias goes with that of the last layer.
    const bool both = k + 1 == n.layers.size() && n.bias.size() > 0;
    put(both ? n.layers[k].bias + n.bias : n.layers[k].bias);
  }
  file.add(name, bytes);
}

void check_size(const std::string& name, Eigen::Index found, Eigen::Index expected, const char* what) {
  if (found != expected)
    expect(false, name + ", " + what + ": expected " + std::to_string(expected) + ", found " +
                      std::to_string(found));
}

// From all bones.
void check_network(const learn::Network& n, Eigen::Index outputs, const garment::Garment& g,
                   const std::string& name) {
  const auto size = [&](Eigen::Index found, Eigen::Index expected, const char* what) {
    check_size(name, found, expected, what);
  };
  size(n.mean.size(), static_cast<Eigen::Index>(3 * g.bones.size()), "inputs");
  size(n.scale.size(), n.mean.size(), "scales of inputs");
  expect(!n.layers.empty() && n.layers.size() <= kMaxLayers, name + ": expected 1 to 8 layers");
  Eigen::Index inputs = n.mean.size();
  for (const learn::Layer& l : n.layers) {
    size(l.weights.cols(), inputs, "inputs of a layer");
    size(l.bias.size(), l.weights.rows(), "biases of a layer");
    expect(l.weights.rows() <= static_cast<Eigen::Index>(kMaxUnits),
           name + ": expected up to 4096 units a layer");
    inputs = l.weights.rows();
  }
  size(inputs, outputs, "outputs");
  if (n.linear.size() > 0)
    size(n.linear.rows(), outputs, "outputs of the linear path"),
        size(n.linear.cols(), n.mean.size(), "inputs of the linear path");
  if (n.bias.size() > 0) size(n.bias.size(), outputs, "biases of the linear path");
}

// A stage whose sizes fit the garment and each other.
void check_stage(const learn::Stage& stage, const garment::Garment& g, const std::string& name) {
  const learn::Basis& b = stage.basis;
  check_size(name, b.mean.size(), static_cast<Eigen::Index>(3 * g.size()), "values of the mean");
  check_size(name, b.modes.cols(), b.mean.size(), "values of the modes");
  check_size(name, b.deviation.size(), b.components(), "deviations");
  check_network(stage.network, b.components(), g, name);
}

learn::Network network_of(const NetworkView& view) {
  learn::Network n;
  n.mean = vector_of(view.mean);
  n.scale = vector_of(view.scale);
  n.activation = static_cast<learn::Activation>(view.record->activation);
  for (uint32_t k = 0; k < view.record->layers; ++k)
    n.layers.push_back({unpack_matrix(view.layer[k]), vector_of(view.bias[k])});
  if (view.record->linear) n.linear = unpack_matrix(view.linear);
  return n;
}

}  // namespace

void check_model(const learn::Model& model, const garment::Garment& garment) {
  expect(model.skinning.basis.components() > 0, "expected a basis for skinning");
  check_stage(model.skinning, garment, "skinning");
  if (model.shape.basis.components() > 0) check_stage(model.shape, garment, "shape");
}

void add_numbers(SectionFile& file, const learn::Model& model) {
  add_network(file, model.skinning.network, model.skinning.basis.deviation, "skinning");
  if (model.shape.basis.components() > 0)
    add_network(file, model.shape.network, model.shape.basis.deviation, "shape");
}

void check_correction(const learn::Network& n, const garment::Garment& g) {
  const auto values = static_cast<Eigen::Index>(3 * g.bones.size());
  if (n.layers.empty()) return;
  check_network(n, values, g, "correction");
  check_size("correction", n.linear.size(), 0, "numbers of a linear path");
}

void add_correction(SectionFile& file, const learn::Network& n) {
  if (n.layers.empty()) return;
  add_network(file, n, learn::Vector::Zero(n.layers.back().bias.size()), "correction");
  // Bytes take a fifth of a millimetre from a guess that is centimetres off.
  for (size_t k = 0; k < n.layers.size(); ++k) {
    const learn::Matrix& m = n.layers[k].weights;
    file.add("correction." + std::to_string(k + 1),
             pack_matrix(m, std::vector<Kind>(static_cast<size_t>(m.cols()), Kind::kInt8)));
  }
}

learn::Network correction_of(const GarmentView& view) {
  return view.correction.record ? network_of(view.correction) : learn::Network{};
}

learn::Model whole_model_of(const GarmentView& view) {
  learn::Model model;
  const learn::Matrix basis = unpack_matrix(view.basis);
  const auto stage = [&](const NetworkView& network, Eigen::Index at) {
    learn::Stage s;
    const Eigen::Index components = network.record->outputs;
    s.basis.modes = basis.middleCols(at, components).transpose();
    s.basis.mean = basis.col(at + components);
    s.basis.deviation = vector_of(network.deviation);
    s.network = network_of(network);
    return s;
  };
  model.skinning = stage(view.skinning, 0);
  if (view.shape.record) model.shape = stage(view.shape, view.skinning.record->outputs + 1);
  return model;
}

}  // namespace billow::pack
