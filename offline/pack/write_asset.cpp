// Writes garment files: docs/garment_file.md, section after section.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <stdexcept>

#include "api/settings_words.h"
#include "asset/format.h"
#include "files/whole_file.h"
#include "garment/chain_cloth.h"
#include "pack/choose_storage.h"
#include "pack/garment_asset.h"

namespace billow::pack {
namespace {

using namespace asset;

[[noreturn]] void refuse(const std::string& what) { throw std::invalid_argument("garment file: " + what); }

void expect(bool right, const std::string& what) {
  if (!right) refuse(what);
}

class File {
 public:
  Text text(const std::string& s) {
    const Text t{static_cast<uint32_t>(text_.size()), static_cast<uint32_t>(s.size())};
    text_ += s;
    return t;
  }
  void add(const std::string& name, std::string bytes) {
    expect(!name.empty() && name.size() < sizeof(Section::name),
           "section '" + name + "': expected a name of 1 to 31 letters");
    sections_.push_back({name, std::move(bytes)});
  }
  template <class T> void add_records(const std::string& name, const std::vector<T>& records) {
    add(name, {reinterpret_cast<const char*>(records.data()), records.size() * sizeof(T)});
  }
  std::string finish() {
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

 private:
  struct Named {
    std::string name, bytes;
  };
  std::string text_;
  std::vector<Named> sections_;
};

void add_joints(File& file, const body::Skeleton& skeleton) {
  std::vector<JointRecord> joints;
  for (const body::Joint& j : skeleton.joints) {
    const Transform& t = j.rest;
    joints.push_back({file.text(j.name),
                      j.parent,
                      {t.position.x, t.position.y, t.position.z},
                      {t.rotation.x, t.rotation.y, t.rotation.z, t.rotation.w}});
  }
  file.add_records("joints", joints);
}

void add_cloth(File& file, const garment::Garment& g) {
  file.add_records("triangles", g.triangles);
  if (!g.flat.empty()) file.add_records("flat", g.flat);
  file.add_records("rest", g.rest);
  std::vector<AttachmentRecord> attachments;
  for (const garment::Attachment& a : g.attachments) {
    AttachmentRecord r{a.vertex, {}, {}, {a.rest.x, a.rest.y, a.rest.z}};
    std::copy(a.joints.begin(), a.joints.end(), r.joints);
    std::copy(a.weights.begin(), a.weights.end(), r.weights);
    attachments.push_back(r);
  }
  file.add_records("attachments", attachments);
}

void add_chains(File& file, const garment::Garment& g) {
  std::vector<BoneRecord> bones;
  for (const garment::Embedding& b : g.bones) {
    BoneRecord r{};
    std::copy(b.vertices.begin(), b.vertices.end(), r.vertices);
    std::copy(b.weights.begin(), b.weights.end(), r.weights);
    bones.push_back(r);
  }
  file.add_records("bones", bones);
  std::vector<uint32_t> sizes;
  std::vector<ChainBoneRecord> chain_bones;
  for (const auto& chain : g.chains) {
    sizes.push_back(static_cast<uint32_t>(chain.size()));
    for (size_t k = 0; k < chain.size(); ++k)
      chain_bones.push_back(
          {chain[k], k == 0 ? 0 : garment::rope_length(g, g.bones[chain[k - 1]], g.bones[chain[k]])});
  }
  file.add_records("chains", sizes);
  file.add_records("chain_bones", chain_bones);
  const garment::ChainCloth cloth = garment::chain_cloth(g);
  std::vector<ChainClothRecord> chain_cloth;
  for (size_t b = 0; b < cloth.areas.size(); ++b)
    chain_cloth.push_back({cloth.lateral_lengths[b], cloth.areas[b]});
  file.add_records("chain_cloth", chain_cloth);
}

void add_settings(File& file, const billow_settings& settings) {
  std::string words;
  api::visit_settings(settings,
                      [&](const auto& field) { words.append(reinterpret_cast<const char*>(&field), 4); });
  file.add("settings", words);
}

void add_colliders(File& file, const Packed& p) {
  std::vector<ColliderRecord> records;
  for (size_t i = 0; i < p.colliders.size(); ++i) {
    const billow_collider& c = p.colliders[i];
    expect(
        c.shape <= BILLOW_HALF_SPACE,
        "collider " + std::to_string(i) + ": expected an analytic shape, found a function, grid or network");
    ColliderRecord r{};
    r.name = file.text(p.collider_names.empty() ? "" : p.collider_names[i]);
    r.shape = static_cast<uint32_t>(c.shape);
    std::copy_n(c.position, 3, r.position), std::copy_n(c.rotation, 4, r.rotation),
        std::copy_n(c.end, 3, r.end);
    r.radius = c.radius, r.radius_end = c.radius_end;
    std::copy_n(c.half_extents, 3, r.half_extents);
    float sum = 0;
    for (const float w : c.weight) sum += w;
    for (size_t k = 0; k < 4; ++k) {
      r.joint[k] = c.weight[k] > 0 ? c.joint[k] : 0;
      r.weight[k] = c.weight[k] / sum;
    }
    r.blend_with = c.blend_with, r.blend_radius = c.blend_radius;
    records.push_back(r);
  }
  file.add_records("colliders", records);
}

void add_network(File& file, const learn::Stage& stage, const std::string& name) {
  const learn::Network& n = stage.network;
  NetworkRecord record{};
  record.inputs = static_cast<uint32_t>(n.mean.size());
  record.outputs = static_cast<uint32_t>(stage.basis.components());
  record.layers = static_cast<uint32_t>(n.layers.size());
  record.activation = static_cast<uint32_t>(n.activation);
  record.linear = n.linear.size() > 0;
  for (size_t k = 0; k < n.layers.size(); ++k)
    record.units[k] = static_cast<uint32_t>(n.layers[k].bias.size());
  std::string bytes(reinterpret_cast<const char*>(&record), sizeof record);
  const auto put = [&](const learn::Vector& v) {
    bytes.append(reinterpret_cast<const char*>(v.data()), static_cast<size_t>(v.size()) * 4);
  };
  put(n.mean), put(n.scale), put(stage.basis.deviation);
  for (size_t k = 0; k < n.layers.size(); ++k) {
    // The linear path's bias goes with that of the last layer.
    const bool both = k + 1 == n.layers.size() && n.bias.size() > 0;
    put(both ? n.layers[k].bias + n.bias : n.layers[k].bias);
  }
  file.add(name, bytes);
}

// A stage whose sizes fit the garment and each other.
void check_stage(const learn::Stage& stage, const garment::Garment& g, const std::string& name) {
  const learn::Basis& b = stage.basis;
  const learn::Network& n = stage.network;
  const auto size = [&](Eigen::Index found, Eigen::Index expected, const char* what) {
    if (found != expected)
      refuse(name + ", " + what + ": expected " + std::to_string(expected) + ", found " +
             std::to_string(found));
  };
  size(b.mean.size(), static_cast<Eigen::Index>(3 * g.size()), "values of the mean");
  size(b.modes.cols(), b.mean.size(), "values of the modes");
  size(b.deviation.size(), b.components(), "deviations");
  size(n.mean.size(), static_cast<Eigen::Index>(3 * g.bones.size()), "inputs");
  size(n.scale.size(), n.mean.size(), "scales of inputs");
  expect(!n.layers.empty() && n.layers.size() <= kMostLayers, name + ": expected 1 to 8 layers");
  Eigen::Index inputs = n.mean.size();
  for (const learn::Layer& l : n.layers) {
    size(l.weights.cols(), inputs, "inputs of a layer");
    size(l.bias.size(), l.weights.rows(), "biases of a layer");
    expect(l.weights.rows() <= static_cast<Eigen::Index>(kMostUnits),
           name + ": expected up to 4096 units a layer");
    inputs = l.weights.rows();
  }
  size(inputs, b.components(), "outputs");
  if (n.linear.size() > 0)
    size(n.linear.rows(), b.components(), "outputs of the linear path"),
        size(n.linear.cols(), n.mean.size(), "inputs of the linear path");
  if (n.bias.size() > 0) size(n.bias.size(), b.components(), "biases of the linear path");
}

void check(const Packed& p) {
  garment::validate(p.garment, p.skeleton.size());
  body::validate(p.skeleton);
  p.skeleton.at(p.garment.key_joint);
  expect(p.garment.rest.size() == p.garment.size(), "expected a garment that was draped");
  expect(p.collider_names.empty() || p.collider_names.size() == p.colliders.size(),
         "expected a name for each collider, or none");
  expect(p.model.skinning.basis.components() > 0, "expected a basis for skinning");
  check_stage(p.model.skinning, p.garment, "skinning");
  if (p.model.shape.basis.components() > 0) check_stage(p.model.shape, p.garment, "shape");
}

}  // namespace

std::string pack_garment(const Packed& p, const PackOptions& options, PackReport* report) {
  check(p);
  const garment::Garment& g = p.garment;
  File file;
  GarmentRecord record{};
  record.name = file.text(g.name), record.material = file.text(g.material);
  record.vertices = static_cast<uint32_t>(g.size());
  record.triangles = static_cast<uint32_t>(g.triangles.size());
  record.attachments = static_cast<uint32_t>(g.attachments.size());
  record.bones = static_cast<uint32_t>(g.bones.size());
  record.chains = static_cast<uint32_t>(g.chains.size());
  for (const auto& c : g.chains) record.chain_bones += static_cast<uint32_t>(c.size());
  record.joints = static_cast<uint32_t>(p.skeleton.size());
  record.colliders = static_cast<uint32_t>(p.colliders.size());
  record.key_joint = static_cast<uint32_t>(p.skeleton.at(g.key_joint));
  record.ring = g.ring;
  record.skinning_components = static_cast<uint32_t>(p.model.skinning.basis.components());
  record.shape_components = static_cast<uint32_t>(p.model.shape.basis.components());
  file.add_records("garment", std::vector{record});
  add_joints(file, p.skeleton);
  add_cloth(file, g);
  add_chains(file, g);
  add_settings(file, p.settings);
  add_colliders(file, p);
  add_network(file, p.model.skinning, "skinning");
  if (record.shape_components > 0) add_network(file, p.model.shape, "shape");

  const Matrices matrices = matrices_of(p.model);
  const Choice choice = choose_storage(p.model, matrices, options);
  for (size_t i = 0; i < matrices.network.size(); ++i) {
    const learn::Matrix& m = *matrices.network[i];
    const std::vector<Kind> kinds(static_cast<size_t>(m.cols()), choice.network[i]);
    file.add(matrices.network_name[i], pack_matrix(m, kinds));
  }
  file.add("basis", pack_matrix(matrices.basis, choice.basis));
  if (!p.training.empty()) file.add("training", p.training);
  for (const auto& [name, bytes] : p.extra) file.add("extra." + name, bytes);
  std::string out = file.finish();
  if (report) *report = {out.size(), choice.cost, choice.others};
  return out;
}

PackReport write_garment_asset(const Packed& packed, const std::filesystem::path& path,
                               const PackOptions& options) {
  PackReport report;
  files::write_whole_file(path, pack_garment(packed, options, &report));
  return report;
}

}  // namespace billow::pack
