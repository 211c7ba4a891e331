// A small synthetic garment file: a sheet behind two joints, with all kinds of storage in its matrices. For
// tests of the runtime alone. Its values are exact binary fractions, so its bytes are the same on every
// platform.
#pragma once

#include <billow/billow.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "asset/format.h"
#include "support/random.h"

namespace billow::testing {

class GarmentBytes {
 public:
  asset::Text text(const std::string& s) {
    text_ += s;
    return {static_cast<uint32_t>(text_.size() - s.size()), static_cast<uint32_t>(s.size())};
  }
  template <class T> void add(const std::string& name, const std::vector<T>& records) {
    add(name, std::string(reinterpret_cast<const char*>(records.data()), records.size() * sizeof(T)));
  }
  void add(const std::string& name, const std::string& bytes) { sections_.push_back({name, bytes}); }
  std::string finish() {
    using namespace asset;
    add("text", text_);
    Header header{};
    std::memcpy(header.magic, kMagic, sizeof kMagic);
    header.version = kVersion;
    header.section_count = static_cast<uint32_t>(sections_.size());
    std::vector<Section> table(sections_.size(), Section{});
    std::string body;
    const uint64_t start = sizeof header + table.size() * sizeof(Section);
    for (size_t i = 0; i < table.size(); ++i) {
      body.resize(static_cast<size_t>(round_up(start + body.size()) - start), '\0');
      std::memcpy(table[i].name, sections_[i].name.data(), sections_[i].name.size());
      table[i].offset = start + body.size();
      table[i].size = sections_[i].bytes.size();
      table[i].checksum = checksum(sections_[i].bytes.data(), sections_[i].bytes.size());
      body += sections_[i].bytes;
    }
    header.file_size = start + body.size();
    const uint64_t sums[2] = {checksum(&header, sizeof header),
                              checksum(table.data(), table.size() * sizeof(Section))};
    header.checksum = checksum(sums, sizeof sums);
    return std::string(reinterpret_cast<const char*>(&header), sizeof header) +
           std::string(reinterpret_cast<const char*>(table.data()), table.size() * sizeof(Section)) + body;
  }

 private:
  struct Named {
    std::string name, bytes;
  };
  std::string text_;
  std::vector<Named> sections_;
};

// A packed matrix with random stored columns, float32, float16 and int8 or int8 only. Sources cycle through
// the columns.
inline std::string random_matrix_bytes(uint32_t rows, uint32_t columns, float size, Random& random,
                                       bool floats = true, bool row_scales = true) {
  asset::MatrixRecord m{};
  m.rows = rows, m.columns = columns;
  m.float32 = floats ? 3 : 0, m.float16 = floats ? 2 : 0, m.int8 = round_up_to_panels(columns) + 24;
  m.row_scales = row_scales;
  std::string out(reinterpret_cast<const char*>(&m), sizeof m);
  const auto put = [&](const auto& value) {
    out.append(reinterpret_cast<const char*>(&value), sizeof value);
  };
  const uint32_t stored = m.float32 + m.float16 + m.int8;
  for (uint32_t j = 0; j < stored; ++j) put(j % columns);
  for (uint32_t j = 0; j < stored; ++j)
    put(size * (floats && j < 5 ? 0.25f : j + 24 < stored ? 1.0f / 128 : 1.0f / 1024));
  for (uint32_t r = 0; row_scales && r < (rows + 7) / 8 * 8; ++r)
    put(r < rows ? 0.5f + 0.125f * static_cast<float>(r % 5) : 0.0f);
  out.resize(static_cast<size_t>(asset::matrix_panels_at(m)), '\0');
  for (uint32_t p = 0; p < (rows + 7) / 8; ++p) {
    for (uint32_t i = 0; i < 8 * m.float32; ++i)
      put(static_cast<float>(static_cast<int>(random.bits() % 2001) - 1000) / 1024);
    // float16 from 2^-4 to 1, of both signs.
    for (uint32_t i = 0; i < 8 * m.float16; ++i)
      put(static_cast<uint16_t>((random.bits() & 0x8000) | (0x2c00 + random.bits() % 0x1000)));
    for (uint32_t i = 0; i < 8 * m.int8; ++i)
      put(static_cast<int8_t>(static_cast<int>(random.bits() % 255) - 127));
  }
  return out;
}

inline void add_random_network(GarmentBytes& file, const std::string& name, uint32_t inputs, uint32_t outputs,
                               uint32_t activation, float size, Random& random) {
  constexpr uint32_t kUnits = 21;
  asset::NetworkRecord n{};
  n.inputs = inputs, n.outputs = outputs, n.layers = 3, n.activation = activation, n.linear = 1;
  n.units[0] = n.units[1] = kUnits, n.units[2] = outputs;
  std::string bytes(reinterpret_cast<const char*>(&n), sizeof n);
  const auto put = [&](float value) { bytes.append(reinterpret_cast<const char*>(&value), 4); };
  for (uint32_t i = 0; i < inputs; ++i) put(static_cast<float>(i % 7) / 128);
  for (uint32_t i = 0; i < inputs; ++i) put(4);
  for (uint32_t i = 0; i < outputs; ++i) put(size);
  for (uint32_t i = 0; i < 2 * kUnits + outputs; ++i) put(static_cast<float>(i % 5) / 64);
  file.add(name, bytes);
  file.add(name + ".1", random_matrix_bytes(kUnits, inputs, 0.25f, random));
  file.add(name + ".2", random_matrix_bytes(kUnits, kUnits, 0.25f, random));
  file.add(name + ".3", random_matrix_bytes(outputs, kUnits, 0.25f * size, random));
  file.add(name + ".linear", random_matrix_bytes(outputs, inputs, 0.125f * size, random));
}

// Patches round the bones of the chains; every vertex belongs to two of them. The second half is flipped and
// shares the networks of the first.
inline void add_random_patches(GarmentBytes& file, uint32_t bones, uint32_t vertices, uint32_t activation,
                               bool floats, Random& random) {
  constexpr uint32_t kUnits = 21, kComponents = 5, kInputBones = 6, kInputs = 3 * (kInputBones + 1);
  asset::PatchesRecord r{};
  r.patches = bones, r.networks = (bones + 1) / 2, r.input_bones = kInputBones, r.components = kComponents,
  r.layers = 3, r.activation = activation;
  r.linear = 1;
  r.units[0] = r.units[1] = kUnits, r.units[2] = r.coefficients();
  std::vector<asset::PatchRecord> patches;
  std::vector<int32_t> input_bones;
  std::vector<float> parameters, bases;
  const auto put = [](std::vector<float>& to, uint32_t count, auto value) {
    for (uint32_t i = 0; i < round_up_to_panels(count); ++i)
      to.push_back(i < count ? static_cast<float>(value(i)) : 0.0f);
  };
  for (uint32_t n = 0; n < r.networks; ++n) {
    put(parameters, kInputs, [](uint32_t i) { return static_cast<float>(i % 7) / 128; });
    put(parameters, kInputs, [](uint32_t) { return 4; });
    put(parameters, r.coefficients(), [](uint32_t i) { return static_cast<float>(i) / 32; });
    for (const uint32_t units : {kUnits, kUnits, r.coefficients()})
      put(parameters, units, [](uint32_t i) { return static_cast<float>(i % 5) / 64; });
  }
  for (uint32_t p = 0; p < bones; ++p) {
    const auto near = [&](uint32_t by) { return (p + by) % bones; };
    const bool flipped = p >= r.networks;
    patches.push_back(
        {p, near(bones - 1), near(1), near(bones - 4), near(4), flipped ? bones - 1 - p : p, flipped, 0});
    for (uint32_t i = 0; i < kInputBones; ++i)
      input_bones.push_back(i == p % kInputBones ? -1 : static_cast<int32_t>(near(i + 1)));
    put(bases, r.coefficients(), [](uint32_t) { return 0.25f; });
    put(bases, r.basis_columns(), [](uint32_t i) { return i < kComponents ? 0.5f : 1.0f; });
  }
  // Tiles of vertices that belong to the same patches.
  std::vector<TileRecord> tiles;
  std::vector<uint32_t> blocks;
  for (uint32_t p = 0; p < bones; ++p)
    for (uint32_t first = p; first < vertices; first += kPanelRows * bones) {
      TileRecord t{{}, static_cast<uint32_t>(blocks.size()), 2};
      for (uint32_t k = 0; k < kPanelRows; ++k) t.vertices[k] = std::min(first + k * bones, vertices);
      tiles.push_back(t);
      blocks.push_back(p), blocks.push_back((p + bones - 5) % bones);
    }
  r.tiles = static_cast<uint32_t>(tiles.size()), r.blocks = static_cast<uint32_t>(blocks.size());
  std::string bytes(reinterpret_cast<const char*>(&r), sizeof r);
  bytes.append(reinterpret_cast<const char*>(patches.data()), patches.size() * sizeof patches[0]);
  file.add("patches", bytes), file.add("patches.input_bones", input_bones), file.add("patches.tiles", tiles);
  file.add("patches.blocks", blocks), file.add("patches.numbers", parameters);
  file.add("patches.bases", bases);
  file.add("patches.1",
           random_matrix_bytes(r.networks * round_up_to_panels(kUnits), kInputs, 0.25f, random, floats));
  file.add("patches.2",
           random_matrix_bytes(r.networks * round_up_to_panels(kUnits), kUnits, 0.25f, random, floats));
  file.add("patches.3", random_matrix_bytes(r.networks * round_up_to_panels(r.coefficients()), kUnits, 0.125f,
                                            random, floats));
  file.add("patches.linear", random_matrix_bytes(r.networks * round_up_to_panels(r.coefficients()), kInputs,
                                                 0.0625f, random, floats));
  // Int8 only and without row scales, as in trained files: then a coordinate is one integer sum.
  file.add("patches.basis",
           random_matrix_bytes(kPanelRows * r.blocks, r.basis_columns(), 0.0625f, random, floats, floats));
}

// Arbitrary weights for linear blend skinning.
inline void add_blend(GarmentBytes& file, uint32_t vertices, uint32_t bones) {
  std::vector<uint8_t> which, weights;
  for (uint32_t v = 0; v < vertices; ++v)
    for (uint32_t k = 0; k < 4; ++k) {
      which.push_back(static_cast<uint8_t>((v + 5 * k) % bones));
      weights.push_back(static_cast<uint8_t>(k == 0 ? 255 - 6 * (v % 8) : v % 8 * k));
    }
  file.add("blend.bones", which), file.add("blend.weights", weights);
}

// Decoder of the file: of the whole cloth, by patches with float columns in all matrices, or by patches with
// int8 columns only, as in trained files.
enum class Form { kWhole, kPatches, kIntegerPatches };

inline constexpr uint32_t kTinyJoints = 2, kTinyAcross = 9, kTinyDown = 11;

// A sheet of 99 vertices that hangs from the second joint, at y = 1, beside a post of an ellipsoid and a
// capsule.
inline std::string tiny_garment_bytes(uint32_t activation = 1, Form form = Form::kWhole, bool blend = true) {
  Random random(22);
  GarmentBytes file;
  constexpr uint32_t kChains = 3, kPerChain = 4, kBones = kChains * kPerChain + 1, kSkinning = 6, kShape = 5;
  constexpr uint32_t kVertices = kTinyAcross * kTinyDown;
  asset::GarmentRecord g{};
  g.name = file.text("tiny"), g.material = file.text("cotton");
  g.vertices = kVertices, g.triangles = 2 * (kTinyAcross - 1) * (kTinyDown - 1), g.attachments = kTinyAcross;
  g.bones = kBones, g.chains = kChains, g.chain_bones = kChains * kPerChain;
  g.joints = kTinyJoints, g.colliders = 2, g.key_joint = 1;
  if (form == Form::kWhole) g.skinning_components = kSkinning, g.shape_components = kShape;
  file.add("garment", std::vector{g});
  file.add("joints", std::vector<asset::JointRecord>{{file.text("root"), -1, {0, 0.5f, 0}, {0, 0, 0, 1}},
                                                     {file.text("top"), 0, {0, 0.5f, 0}, {0, 0, 0, 1}}});
  std::vector<float> rest, pattern_uvs;
  std::vector<uint32_t> triangles;
  const auto vertex = [](uint32_t r, uint32_t c) { return r * kTinyAcross + c; };
  for (uint32_t r = 0; r < kTinyDown; ++r)
    for (uint32_t c = 0; c < kTinyAcross; ++c) {
      rest.insert(rest.end(), {(static_cast<float>(c) - 4) / 16, 1 - static_cast<float>(r) / 16, 0.125f});
      pattern_uvs.insert(pattern_uvs.end(), {static_cast<float>(c) / 16, static_cast<float>(r) / 16});
      if (r + 1 == kTinyDown || c + 1 == kTinyAcross) continue;
      triangles.insert(triangles.end(), {vertex(r, c), vertex(r + 1, c), vertex(r, c + 1)});
      triangles.insert(triangles.end(), {vertex(r, c + 1), vertex(r + 1, c), vertex(r + 1, c + 1)});
    }
  file.add("rest", rest), file.add("pattern", pattern_uvs), file.add("triangles", triangles);
  std::vector<asset::AttachmentRecord> attachments;
  for (uint32_t c = 0; c < kTinyAcross; ++c)
    attachments.push_back(
        {c, {1, 0, 0, 0}, {0.75f, 0.25f, 0, 0}, {rest[3 * c], rest[3 * c + 1], rest[3 * c + 2]}});
  file.add("attachments", attachments);
  std::vector<asset::BoneRecord> bones;
  std::vector<asset::ChainBoneRecord> chain_bones;
  for (uint32_t k = 0; k < kChains; ++k)
    for (uint32_t b = 0; b < kPerChain; ++b) {
      const uint32_t v = vertex(3 * b, 4 * k);
      chain_bones.push_back({static_cast<uint32_t>(bones.size()), b == 0 ? 0 : 3.0f / 16});
      bones.push_back({{v, v, v}, {1, 0, 0}});
    }
  bones.push_back({{2, 3, 3}, {0.5f, 0.5f, 0}});
  file.add("bones", bones), file.add("chain_bones", chain_bones);
  file.add("chains", std::vector<uint32_t>(kChains, kPerChain));
  file.add("settings", std::string());
  if (blend) add_blend(file, kVertices, kBones);
  std::vector<asset::ColliderRecord> colliders(2, asset::ColliderRecord{});
  for (uint32_t i = 0; i < 2; ++i) {
    asset::ColliderRecord& c = colliders[i];
    c.name = file.text("post");
    c.shape = i == 0 ? BILLOW_SHAPE_ELLIPSOID : BILLOW_SHAPE_CAPSULE;
    c.position[1] = i == 0 ? 0.8125f : 0.5f, c.end[1] = 0.125f;
    c.half_extents[0] = 0.125f, c.half_extents[1] = 0.28125f, c.half_extents[2] = 0.09375f;
    c.rotation[3] = 1, c.radius = c.radius_end = 0.09375f;
    c.joint[0] = 1 - i, c.weight[0] = 1;
    c.blend_with = static_cast<int32_t>(i) - 1, c.blend_radius = i ? 0.0625f : 0;
  }
  file.add("colliders", colliders);
  if (form == Form::kWhole) {
    add_random_network(file, "skinning", 3 * kBones, kSkinning, activation, 0.5f, random);
    add_random_network(file, "shape", 3 * kBones, kShape, activation, 0.125f, random);
    file.add("basis", random_matrix_bytes(3 * kVertices, kSkinning + kShape + 2, 0.0625f, random));
  } else {
    add_random_patches(file, kChains * kPerChain, kVertices, activation, form == Form::kPatches, random);
  }
  // Chains of one of three garments have learnt a force.
  if (activation == 2) add_random_network(file, "force", asset::kForceInputs, 3, activation, 4, random);
  file.add("training", std::string("{\"frames\": 0}"));
  return file.finish();
}

inline billow_garment* make_tiny_garment(uint32_t activation = 1, Form form = Form::kWhole,
                                         bool blend = true) {
  const std::string bytes = tiny_garment_bytes(activation, form, blend);
  const billow_garment_desc desc{bytes.data(), bytes.size(), 0, nullptr};
  billow_garment* garment = nullptr;
  billow_garment_create(&desc, &garment);
  return garment;
}

// Joints of a frame: the character sways and rotates, with a period of 64 frames, in exact binary fractions.
inline std::vector<billow_transform> tiny_joints(int frame) {
  const float t = static_cast<float>(frame % 64) / 64, sway = t < 0.5f ? 4 * t - 1 : 3 - 4 * t;
  billow_transform root{{0.5f * sway, 0.5f, 0.25f * sway * sway}, {0, 0.25f * sway, 0, 1}};
  billow_transform top{{0.5f * sway, 1 + 0.125f * sway, 0.25f * sway * sway},
                       {0.125f * sway, 0.25f * sway, 0, 1}};
  return {root, top};
}

}  // namespace billow::testing
