// Writes garment files: docs/formats.md, section after section.
#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string_view>

#include "api/settings_words.h"
#include "files/whole_file.h"
#include "garment/garment.h"
#include "pack/choose_precision.h"
#include "pack/quantise_basis.h"
#include "pack/sections.h"

namespace billow::pack {
namespace {

using namespace asset;

void add_joints(SectionFile& file, const body::Skeleton& skeleton) {
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

void add_cloth(SectionFile& file, const garment::Garment& g) {
  file.add_records("triangles", g.triangles);
  if (!g.pattern_uvs.empty()) file.add_records("pattern", g.pattern_uvs);
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

void add_chains(SectionFile& file, const garment::Garment& g) {
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

void add_colliders(SectionFile& file, const GarmentData& p) {
  std::vector<ColliderRecord> records;
  for (size_t i = 0; i < p.colliders.size(); ++i) {
    const billow_collider& c = p.colliders[i];
    expect(c.shape <= BILLOW_SHAPE_HALF_SPACE,
           "collider " + std::to_string(i) +
               ": expected an analytic shape, found a custom function, grid or network");
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
    r.blend_with = c.blend_with, r.blend_radius = c.blend_radius, r.group = c.group;
    records.push_back(r);
  }
  file.add_records("colliders", records);
}

void check(const GarmentData& p) {
  garment::validate(p.garment, p.skeleton.size());
  body::validate(p.skeleton);
  p.skeleton.at(p.garment.key_joint);
  expect(p.garment.rest.size() == p.garment.size(), "expected a draped garment");
  expect(p.collider_names.empty() || p.collider_names.size() == p.colliders.size(),
         "expected a name for each collider, or none");
  std::visit([&](const auto& model) { check_model(model, p.garment); }, p.model);
  const auto bone_values = static_cast<Eigen::Index>(3 * p.garment.bones.size());
  check_chain_network(p.correction, bone_values, bone_values, "correction");
  check_chain_network(p.force, asset::kForceInputs, 3, "force");
  check_blend(p.blend, p.garment.size(), p.garment.bones.size());
}

void add_networks(SectionFile& file, const ModelMatrices& matrices, const PrecisionChoice& choice) {
  for (size_t i = 0; i < matrices.network.size(); ++i) {
    const learn::Matrix& m = matrices.network[i];
    const std::vector<Format> formats(static_cast<size_t>(m.cols()), choice.network[i]);
    file.add(matrices.network_name[i], pack_matrix(m, formats));
  }
}

// Adds a model with its matrices in the requested precision.
PrecisionChoice add_model(SectionFile& file, const learn::Model& model, const GarmentData&,
                          const PackOptions& options) {
  add_parameters(file, model);
  const ModelMatrices matrices = matrices_of(model);
  const PrecisionChoice choice = choose_precision(quantisation_units(model, matrices),
                                                  static_cast<size_t>(matrices.basis.cols()), options);
  add_networks(file, matrices, choice);
  file.add("basis", pack_matrix(matrices.basis, choice.basis, matrices.basis_rows));
  return choice;
}

PrecisionChoice add_model(SectionFile& file, const learn::PatchModel& model, const GarmentData& data,
                          const PackOptions& options) {
  const ModelMatrices matrices = matrices_of(model);
  const std::vector<QuantisationUnit> units = quantisation_units(model, matrices);
  const auto columns = static_cast<size_t>(matrices.basis.cols());
  PrecisionChoice choice;
  if (options.precision == Precision::kMixed) {
    learn::PatchModel quantised = model;
    QuantisedNetworks networks;
    const BasisQuantiser basis_quantiser(model, matrices, data.calibration);
    learn::Matrix basis;
    choice = choose_gptq_precision(
        units, columns, options,
        [&](std::span<const Format> formats) {
          BasisQuantiser::Quantised r = basis_quantiser.quantise(formats);
          basis = std::move(r.basis);
          return r.error;
        },
        [&](double max_error) -> const QuantisedNetworks& {
          return networks = quantise_networks(quantised, data.calibration, max_error);
        });
    add_parameters(file, quantised);
    const ModelMatrices quantised_matrices = matrices_of(quantised);
    for (size_t i = 0; i < networks.matrices.size(); ++i) {
      const QuantisedMatrix& m = networks.matrices[i];
      file.add(quantised_matrices.network_name[i],
               pack_quantised(quantised_matrices.network[i], m.formats, m.row_scales, m.column_scales));
    }
    file.add("patches.basis", pack_quantised(basis, choice.basis, {}, {}));
  } else {
    choice = choose_precision(units, columns, options);
    add_parameters(file, model);
    add_networks(file, matrices, choice);
    file.add("patches.basis", pack_matrix(matrices.basis, choice.basis, matrices.basis_rows));
  }
  return choice;
}

}  // namespace

void add_settings(SectionFile& file, const billow_settings& settings) {
  std::string words;
  api::visit_settings(settings,
                      [&](const auto& field) { words.append(reinterpret_cast<const char*>(&field), 4); });
  file.add("settings", words);
}

std::string pack_garment(const GarmentData& p, const PackOptions& options, PackReport* report) {
  check(p);
  const garment::Garment& g = p.garment;
  SectionFile file;
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
  record.closed = g.closed;
  if (const auto* whole_cloth = std::get_if<learn::Model>(&p.model)) {
    record.skinning_components = static_cast<uint32_t>(whole_cloth->skinning.basis.components());
    record.shape_components = static_cast<uint32_t>(whole_cloth->shape.basis.components());
  }
  file.add_records("garment", std::vector{record});
  add_joints(file, p.skeleton);
  add_cloth(file, g);
  add_chains(file, g);
  add_settings(file, p.settings);
  add_chain_network(file, p.correction, "correction");
  add_chain_network(file, p.force, "force");
  add_colliders(file, p);
  const PrecisionChoice choice =
      std::visit([&](const auto& model) { return add_model(file, model, p, options); }, p.model);
  add_blend(file, p.blend, g.bones.size());
  if (!p.training.empty()) file.add("training", p.training);
  for (const auto& [name, bytes] : p.extra) file.add("extra." + name, bytes);
  std::string out = file.finish();
  if (report) *report = {out.size(), choice.cost, choice.others};
  return out;
}

namespace {

GarmentView valid_view(const AlignedBytes& bytes) {
  GarmentView view;
  Problem problem;
  if (!read_garment(bytes.data(), bytes.size(), view, problem)) throw std::runtime_error(problem.text);
  return view;
}

}  // namespace

PackReport write_garment_asset(const GarmentData& data, const std::filesystem::path& path,
                               const PackOptions& options) {
  PackReport report;
  const std::string bytes = pack_garment(data, options, &report);
  // Read it back first: a value that is not finite shows only in the file.
  const AlignedBytes aligned(bytes);
  GarmentView view;
  Problem problem;
  if (!read_garment(aligned.data(), aligned.size(), view, problem))
    throw std::runtime_error(path.string() + ": expected a garment that can be stored, found " +
                             problem.text);
  files::write_whole_file(path, bytes);
  return report;
}

std::string changed_sections(const std::string& file, const std::vector<std::string>& without,
                             const GarmentData& changed) {
  const AlignedBytes bytes(file);
  const GarmentView view = valid_view(bytes);
  check_blend(changed.blend, view.record->vertices, view.record->bones);
  std::vector<std::string> dropped{"text", "blend.bones", "blend.weights"};  // finish() adds the text
  dropped.insert(dropped.end(), without.begin(), without.end());
  SectionFile out;
  out.text(std::string(view.text));
  for (const asset::Section& s : view.sections)
    if (std::string_view(s.name) == "settings")
      add_settings(out, changed.settings);
    else if (std::string_view(s.name) == "colliders")
      add_colliders(out, changed);
    else if (std::find(dropped.begin(), dropped.end(), s.name) == dropped.end())
      out.add(s.name, std::string(view.bytes_of(s)));
  add_blend(out, changed.blend, view.record->bones);
  return out.finish();
}

std::string with_training(const std::string& file, const std::string& training) {
  const AlignedBytes bytes(file);
  const GarmentView view = valid_view(bytes);
  SectionFile out;
  out.text(std::string(view.text));
  for (const asset::Section& s : view.sections)
    if (const std::string_view name = s.name; name != "text" && name != "training")
      out.add(s.name, std::string(view.bytes_of(s)));
  out.add("training", training);
  return out.finish();
}

}  // namespace billow::pack
