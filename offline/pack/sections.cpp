#include "pack/sections.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <stdexcept>

#include "pack/pack_matrix.h"

namespace billow::pack {
namespace {

// Rounds down, then distributes the rest of the sum to the weights with the largest remainders.
std::array<uint8_t, kBonesPerVertex> quantise_blend_weights(
    const std::array<float, kBonesPerVertex>& weights) {
  std::array<uint8_t, kBonesPerVertex> out{};
  std::array<float, kBonesPerVertex> remainder{};
  uint32_t missing = kBlendWeightSum;
  for (size_t k = 0; k < out.size(); ++k) {
    const float exact = weights[k] * static_cast<float>(kBlendWeightSum);
    out[k] = static_cast<uint8_t>(std::min(std::floor(exact), static_cast<float>(missing)));
    remainder[k] = exact - static_cast<float>(out[k]);
    missing -= out[k];
  }
  for (; missing > 0; --missing) {
    const auto largest =
        static_cast<size_t>(std::max_element(remainder.begin(), remainder.end()) - remainder.begin());
    ++out[largest], --remainder[largest];
  }
  return out;
}

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
    // The file has no bias of the linear path: add it to that of the last layer.
    const bool add_linear_bias = k + 1 == n.layers.size() && n.bias.size() > 0;
    put(add_linear_bias ? n.layers[k].bias + n.bias : n.layers[k].bias);
  }
  file.add(name, bytes);
}

void check_size(const std::string& name, Eigen::Index found, Eigen::Index expected, const char* what) {
  if (found != expected)
    expect(false, name + ", " + what + ": expected " + std::to_string(expected) + ", found " +
                      std::to_string(found));
}

void check_network(const learn::Network& n, Eigen::Index inputs_of_network, Eigen::Index outputs,
                   const std::string& name) {
  const auto check = [&](Eigen::Index found, Eigen::Index expected, const char* what) {
    check_size(name, found, expected, what);
  };
  check(n.mean.size(), inputs_of_network, "inputs");
  check(n.scale.size(), n.mean.size(), "scales of inputs");
  expect(!n.layers.empty() && n.layers.size() <= kMaxLayers, name + ": expected 1 to 8 layers");
  Eigen::Index inputs = n.mean.size();
  for (const learn::Layer& l : n.layers) {
    check(l.weights.cols(), inputs, "inputs of a layer");
    check(l.bias.size(), l.weights.rows(), "biases of a layer");
    expect(l.weights.rows() <= static_cast<Eigen::Index>(kMaxUnits),
           name + ": expected up to 4096 units a layer");
    inputs = l.weights.rows();
  }
  check(inputs, outputs, "outputs");
  if (n.linear.size() > 0)
    check(n.linear.rows(), outputs, "outputs of the linear path"),
        check(n.linear.cols(), n.mean.size(), "inputs of the linear path");
  if (n.bias.size() > 0) check(n.bias.size(), outputs, "biases of the linear path");
}

void check_stage(const learn::Stage& stage, const garment::Garment& g, const std::string& name) {
  const learn::Basis& b = stage.basis;
  check_size(name, b.mean.size(), static_cast<Eigen::Index>(3 * g.size()), "values of the mean");
  check_size(name, b.modes.cols(), b.mean.size(), "values of the modes");
  check_size(name, b.deviation.size(), b.components(), "deviations");
  check_network(stage.network, static_cast<Eigen::Index>(3 * g.bones.size()), b.components(), name);
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

void expect(bool condition, const std::string& what) {
  if (!condition) throw std::invalid_argument("garment file: " + what);
}

Text SectionFile::text(const std::string& s) {
  const Text t{static_cast<uint32_t>(text_.size()), static_cast<uint32_t>(s.size())};
  text_ += s;
  return t;
}

void SectionFile::add(const std::string& name, std::string bytes) {
  expect(!name.empty() && name.size() < sizeof(Section::name),
         "section '" + name + "': expected a name of 1 to 31 letters");
  sections_.push_back({name, std::move(bytes)});
}

std::string SectionFile::finish() {
  add("text", text_);
  Header header{};
  std::memcpy(header.magic, kMagic, sizeof kMagic);
  header.version = kVersion;
  header.section_count = static_cast<uint32_t>(sections_.size());
  std::vector<Section> table(sections_.size(), Section{});
  uint64_t end = sizeof(Header) + table.size() * sizeof(Section);
  std::string body;
  for (size_t i = 0; i < table.size(); ++i) {
    const std::string& bytes = sections_[i].bytes;
    std::memcpy(table[i].name, sections_[i].name.data(), sections_[i].name.size());
    table[i].offset = round_up(end);
    table[i].size = bytes.size();
    table[i].checksum = checksum(bytes.data(), bytes.size());
    body.append(table[i].offset - end, '\0');
    body += bytes;
    end = table[i].offset + bytes.size();
  }
  header.file_size = end;
  const uint64_t sums[2] = {checksum(&header, sizeof header),
                            checksum(table.data(), table.size() * sizeof(Section))};
  header.checksum = checksum(sums, sizeof sums);
  std::string out(reinterpret_cast<const char*>(&header), sizeof header);
  out.append(reinterpret_cast<const char*>(table.data()), table.size() * sizeof(Section));
  return out + body;
}

void check_blend(const std::vector<learn::BlendWeights>& blend, size_t vertices, size_t bones) {
  expect(blend.empty() || blend.size() == vertices,
         "expected blend weights of all " + std::to_string(vertices) + " vertices or none, found " +
             std::to_string(blend.size()));
  for (size_t v = 0; v < blend.size(); ++v) {
    float sum = 0;
    for (size_t k = 0; k < kBonesPerVertex; ++k) {
      expect(blend[v].bones[k] < bones && blend[v].weights[k] >= 0,
             "blend weights of vertex " + std::to_string(v) + ": expected bones below " +
                 std::to_string(bones) + " and weights of at least 0");
      sum += blend[v].weights[k];
    }
    expect(std::fabs(sum - 1) < 1e-3f, "blend weights of vertex " + std::to_string(v) +
                                           ": expected a sum of 1, found " + std::to_string(sum));
  }
}

void add_blend(SectionFile& file, const std::vector<learn::BlendWeights>& blend, size_t bones) {
  if (blend.empty()) return;
  std::vector<uint8_t> indices8, weights;
  std::vector<uint16_t> indices16;
  for (const learn::BlendWeights& w : blend) {
    const auto quantised = quantise_blend_weights(w.weights);
    weights.insert(weights.end(), quantised.begin(), quantised.end());
    for (const uint32_t b : w.bones) {
      indices8.push_back(static_cast<uint8_t>(b));
      indices16.push_back(static_cast<uint16_t>(b));
    }
  }
  if (bones <= asset::kMaxBonesInBytes)
    file.add_records("blend.bones", indices8);
  else
    file.add_records("blend.bones", indices16);
  file.add_records("blend.weights", weights);
}

std::vector<learn::BlendWeights> blend_of(const asset::GarmentView& view) {
  const asset::BlendView& stored = view.blend;
  std::vector<learn::BlendWeights> blend(stored.weights.size() / kBonesPerVertex);
  for (size_t i = 0; i < stored.weights.size(); ++i) {
    learn::BlendWeights& w = blend[i / kBonesPerVertex];
    w.bones[i % kBonesPerVertex] =
        stored.bones_in_words.empty() ? stored.bones_in_bytes[i] : stored.bones_in_words[i];
    w.weights[i % kBonesPerVertex] =
        static_cast<float>(stored.weights[i]) / static_cast<float>(kBlendWeightSum);
  }
  return blend;
}

void check_model(const learn::Model& model, const garment::Garment& garment) {
  expect(model.skinning.basis.components() > 0, "expected a basis for skinning");
  check_stage(model.skinning, garment, "skinning");
  if (model.shape.basis.components() > 0) check_stage(model.shape, garment, "shape");
}

void add_parameters(SectionFile& file, const learn::Model& model) {
  add_network(file, model.skinning.network, model.skinning.basis.deviation, "skinning");
  if (model.shape.basis.components() > 0)
    add_network(file, model.shape.network, model.shape.basis.deviation, "shape");
}

void check_chain_network(const learn::Network& n, Eigen::Index inputs, Eigen::Index outputs,
                         const std::string& name) {
  if (n.layers.empty()) return;
  check_network(n, inputs, outputs, name);
  check_size(name, n.linear.size(), 0, "values of a linear path");
}

void add_chain_network(SectionFile& file, const learn::Network& n, const std::string& name) {
  if (n.layers.empty()) return;
  add_network(file, n, learn::Vector::Zero(n.layers.back().bias.size()), name);
  // int8 costs a correction a fifth of a millimetre, where it has an error of centimetres itself.
  for (size_t k = 0; k < n.layers.size(); ++k) {
    const learn::Matrix& m = n.layers[k].weights;
    file.add(name + "." + std::to_string(k + 1),
             pack_matrix(m, std::vector<Format>(static_cast<size_t>(m.cols()), Format::kInt8)));
  }
}

learn::Network chain_network_of(const asset::NetworkView& view) {
  return view.record ? network_of(view) : learn::Network{};
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
