// Reads garment files.
#include <algorithm>
#include <stdexcept>

#include "api/settings_words.h"
#include "files/whole_file.h"
#include "pack/pack_matrix.h"
#include "pack/sections.h"

namespace billow::pack {
namespace {

using namespace asset;

constexpr size_t kMaxBytes = size_t{1} << 32;

std::string string_of(const GarmentView& view, Text t) { return std::string(view.text_of(t)); }

body::Skeleton skeleton_of(const GarmentView& view) {
  body::Skeleton skeleton;
  for (const JointRecord& j : view.joints)
    skeleton.joints.push_back({string_of(view, j.name),
                               j.parent,
                               {{j.position[0], j.position[1], j.position[2]},
                                {j.rotation[0], j.rotation[1], j.rotation[2], j.rotation[3]}}});
  return skeleton;
}

garment::Garment garment_of(const GarmentView& view, const body::Skeleton& skeleton) {
  garment::Garment g;
  g.name = string_of(view, view.record->name);
  g.material = string_of(view, view.record->material);
  g.key_joint = skeleton.joints[view.record->key_joint].name;
  g.closed = view.record->closed != 0;
  for (size_t i = 0; i < view.triangles.size(); i += 3)
    g.triangles.push_back({view.triangles[i], view.triangles[i + 1], view.triangles[i + 2]});
  for (size_t i = 0; i < view.pattern_uvs.size(); i += 2)
    g.pattern_uvs.push_back({view.pattern_uvs[i], view.pattern_uvs[i + 1]});
  for (size_t i = 0; i < view.rest.size(); i += 3)
    g.rest.push_back({view.rest[i], view.rest[i + 1], view.rest[i + 2]});
  g.shape = g.rest;
  for (const AttachmentRecord& r : view.attachments) {
    garment::Attachment a{r.vertex, {}, {}, {r.rest[0], r.rest[1], r.rest[2]}};
    std::copy_n(r.joints, 4, a.joints.begin());
    std::copy_n(r.weights, 4, a.weights.begin());
    g.attachments.push_back(a);
  }
  for (const BoneRecord& r : view.bones) {
    garment::Embedding b;
    std::copy_n(r.vertices, 3, b.vertices.begin());
    std::copy_n(r.weights, 3, b.weights.begin());
    g.bones.push_back(b);
  }
  size_t next = 0;
  for (const uint32_t n : view.chain_sizes) {
    g.chains.emplace_back();
    for (uint32_t k = 0; k < n; ++k) g.chains.back().push_back(view.chain_bones[next++].bone);
  }
  return g;
}

billow_collider collider_of(const ColliderRecord& r) {
  billow_collider c = billow_collider_default();
  c.shape = static_cast<billow_shape>(r.shape);
  std::copy_n(r.position, 3, c.position), std::copy_n(r.rotation, 4, c.rotation),
      std::copy_n(r.end, 3, c.end);
  c.radius = r.radius, c.radius_end = r.radius_end;
  std::copy_n(r.half_extents, 3, c.half_extents);
  std::copy_n(r.joint, 4, c.joint), std::copy_n(r.weight, 4, c.weight);
  c.blend_with = r.blend_with, c.blend_radius = r.blend_radius, c.group = r.group;
  return c;
}

// Checks that the shares of each vertex add up to 1.
bool has_valid_shares(const GarmentView& view, Problem& problem) {
  std::vector<uint32_t> sums(view.record->vertices + 1);
  return check_tiles(view, sums.data(), problem);
}

}  // namespace

AlignedBytes::AlignedBytes(std::string_view bytes) : buffer_(bytes.size() + kAlignment), size_(bytes.size()) {
  start_ = round_up(reinterpret_cast<uintptr_t>(buffer_.data()));
  std::copy(bytes.begin(), bytes.end(), reinterpret_cast<char*>(start_));
}

GarmentData read_garment_asset(const std::filesystem::path& path) {
  const AlignedBytes bytes(files::read_whole_file(path, kMaxBytes));
  GarmentView view;
  Problem problem;
  if (!read_garment(bytes.data(), bytes.size(), view, problem) || !has_valid_shares(view, problem))
    throw std::runtime_error(path.string() + ": " + problem.text);
  GarmentData p;
  p.skeleton = skeleton_of(view);
  p.garment = garment_of(view, p.skeleton);
  for (const ColliderRecord& r : view.colliders) {
    p.colliders.push_back(collider_of(r));
    p.collider_names.push_back(string_of(view, r.name));
  }
  p.settings = billow_settings_default();
  api::read_settings_words(view.settings, p.settings);
  p.garment.contacts = body::contacts_of(p.settings);
  p.correction = chain_network_of(view.correction);
  p.force = chain_network_of(view.force);
  p.blend = blend_of(view);
  if (view.patches.record)
    p.model = patch_model_of(view, p.garment);
  else
    p.model = whole_model_of(view);
  p.training = view.training;
  constexpr std::string_view kExtra = "extra.";
  for (const Section& s : view.sections)
    if (const std::string_view name = s.name; name.starts_with(kExtra))
      p.extra[std::string(name.substr(kExtra.size()))] = view.bytes_of(s);
  return p;
}

}  // namespace billow::pack
