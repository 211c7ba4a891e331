#include <cmath>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "files/whole_file.h"
#include "garment/garment_file.h"
#include "garment/mesh_file.h"
#include "import/json_at.h"

namespace billow::garment {
namespace {

using importer::expect_keys;
using importer::JsonAt;

constexpr size_t kMaxBytes = size_t{256} << 20, kMaxBones = 1'000'000;

template <size_t N> std::array<float, N> floats(const JsonAt& at) {
  const std::vector<double> values = at.numbers(N);
  std::array<float, N> out;
  for (size_t k = 0; k < N; ++k) out[k] = static_cast<float>(values[k]);
  return out;
}

// Path of a file in the garment's folder; names with a directory are refused.
std::filesystem::path sibling(const JsonAt& at, const std::filesystem::path& garment) {
  const std::filesystem::path name = at.string();
  if (name.empty() || name.has_parent_path() || name == ".." || name == ".")
    at.fail("the name of a file in the same folder");
  return garment.parent_path() / name;
}

uint32_t read_joint(const JsonAt& at, const body::Skeleton& skeleton) {
  const int joint = skeleton.find(at.string());
  if (joint == body::kNoJoint) at.fail("a joint of the character");
  return static_cast<uint32_t>(joint);
}

Attachment read_attachment(const JsonAt& at, size_t vertices, const body::Skeleton& skeleton) {
  expect_keys(at, {"vertex", "joints", "weights", "rest"});
  Attachment out;
  out.vertex = static_cast<uint32_t>(at.at("vertex").index(vertices));
  const JsonAt joints = at.at("joints");
  const size_t count = joints.size();
  if (count < 1 || count > body::kJointsPerVertex) joints.fail("1 to 4 joint names");
  const std::vector<double> weights = at.at("weights").numbers(count);
  for (size_t k = 0; k < count; ++k) {
    out.joints[k] = read_joint(joints.at(k), skeleton);
    out.weights[k] = static_cast<float>(weights[k]);
  }
  const auto rest = floats<3>(at.at("rest"));
  out.rest = {rest[0], rest[1], rest[2]};
  return out;
}

Embedding read_bone(const JsonAt& at, size_t vertices) {
  expect_keys(at, {"vertices", "weights"});
  Embedding out;
  const JsonAt corners = at.at("vertices");
  if (corners.size() != 3) corners.fail("3 vertices");
  for (size_t k = 0; k < 3; ++k) out.vertices[k] = static_cast<uint32_t>(corners.at(k).index(vertices));
  out.weights = floats<3>(at.at("weights"));
  return out;
}

void read_lists(const JsonAt& file, const body::Skeleton& skeleton, Garment& g) {
  const JsonAt attachments = file.at("attachments"), bones = file.at("bones"), chains = file.at("chains");
  if (attachments.size() > g.size()) attachments.fail("at most one entry per vertex");
  std::vector<bool> used(g.size(), false);
  for (size_t i = 0; i < attachments.size(); ++i) {
    g.attachments.push_back(read_attachment(attachments.at(i), g.size(), skeleton));
    if (used[g.attachments[i].vertex])
      attachments.at(i).at("vertex").fail("a vertex without an earlier attachment");
    used[g.attachments[i].vertex] = true;
  }
  if (bones.size() > kMaxBones) bones.fail("at most " + std::to_string(kMaxBones) + " bones");
  for (size_t i = 0; i < bones.size(); ++i) g.bones.push_back(read_bone(bones.at(i), g.size()));
  for (size_t c = 0; c < chains.size(); ++c) {
    const JsonAt chain = chains.at(c);
    g.chains.emplace_back();
    for (size_t b = 0; b < chain.size(); ++b)
      g.chains.back().push_back(static_cast<uint32_t>(chain.at(b).index(g.bones.size())));
  }
}

void read_mesh(const JsonAt& file, const std::filesystem::path& path, Garment& g) {
  GarmentMesh mesh = read_obj(sibling(file.at("mesh"), path));
  const auto expect = [&](const char* key, size_t found) {
    if (file.at(key).index(kMaxMeshVertices * 4) != found)
      file.at(key).fail("the mesh's number of " + std::string(key) + ", " + std::to_string(found));
  };
  expect("vertices", mesh.positions.size());
  expect("triangles", mesh.triangles.size());
  g.shape = std::move(mesh.positions);
  g.triangles = std::move(mesh.triangles);
  if (file.at("pattern").boolean()) {
    if (mesh.uv.empty()) file.at("pattern").fail("false, as the mesh does not have one UV per vertex");
    g.pattern_uvs = std::move(mesh.uv);
  }
  if (!file.has("rest")) return;
  NpyPositions rest = read_npy_positions(sibling(file.at("rest"), path));
  if (rest.shape.size() != 2 || rest.positions.size() != g.size())
    file.at("rest").fail("a file of " + std::to_string(g.size()) + " positions");
  g.rest = std::move(rest.positions);
}

Garment read(const JsonAt& file, const std::filesystem::path& path, const body::Skeleton& skeleton) {
  expect_keys(file, {"format", "version", "name", "material", "key_joint", "mesh", "vertices", "triangles",
                     "pattern", "rest", "closed", "contacts", "attachments", "bones", "chains"});
  if (file.at("format").string() != kGarmentFormat) file.at("format").fail("\"billow garment\"");
  if (file.at("version").index(1000) != kGarmentVersion) file.at("version").fail("version 1");
  Garment g;
  g.name = file.at("name").string();
  g.material = file.at("material").string();
  g.key_joint = file.at("key_joint").string();
  read_joint(file.at("key_joint"), skeleton);
  g.closed = file.at("closed").boolean();
  if (file.has("contacts")) g.contacts = body::contacts_from(file.at("contacts").string());
  read_mesh(file, path, g);
  read_lists(file, skeleton, g);
  validate(g, skeleton.size());
  return g;
}

}  // namespace

Garment read_garment_file(const std::filesystem::path& path, const body::Skeleton& skeleton) {
  const std::string text = files::read_whole_file(path, kMaxBytes);
  try {
    const nlohmann::json json = importer::parse_strictly(text);
    return read(JsonAt(json, ""), path, skeleton);
  } catch (const std::exception& e) {
    throw std::runtime_error(path.string() + ": " + e.what());
  }
}

}  // namespace billow::garment
