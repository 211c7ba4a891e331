#include <algorithm>
#include <set>
#include <stdexcept>

#include "import/character.h"
#include "import/gltf_file.h"
#include "import/scene.h"

namespace billow::importer {
namespace {

using Eigen::Affine3d;

constexpr size_t kNoSkin = SIZE_MAX;

class Reader {
 public:
  Reader(std::string_view bytes, const std::filesystem::path& folder) : file_(bytes, folder) {}

  Scene read() {
    read_nodes();
    const size_t count = file_.root().size_of("nodes");
    for (size_t i = 0; i < count; ++i)
      if (scene_index_[i] >= 0 && node(i).has("mesh")) read_mesh(i);
    for (size_t a = 0; a < file_.root().size_of("animations"); ++a) read_animation(a);
    if (has_morphs_) scene_.notes.push_back("morph targets are ignored: the shapes stay at rest");
    if (has_lines_) scene_.notes.push_back("points and lines are ignored");
    return std::move(scene_);
  }

 private:
  JsonAt node(size_t i) const { return file_.root().at("nodes").at(i); }
  void read_nodes();
  NodeTransform read_transform(const JsonAt& node) const;
  void read_mesh(size_t node);
  void read_primitive(const JsonAt& primitive, size_t node, size_t skin);
  void read_bones(const JsonAt& primitive, size_t skin, SceneMesh& mesh);
  void read_animation(size_t index);
  void read_track(const JsonAt& animation, const JsonAt& channel, Animation& out);

  GltfFile file_;
  Scene scene_;
  std::vector<int> scene_index_;  // the scene's node of each node in the file; -1: not in the scene
  size_t vertices_ = 0;
  bool has_morphs_ = false, has_lines_ = false;
};

NodeTransform Reader::read_transform(const JsonAt& node) const {
  if (node.has("matrix")) {
    const std::vector<double> m = node.at("matrix").numbers(16);
    Affine3d matrix = Affine3d::Identity();
    for (int row = 0; row < 3; ++row)
      for (int column = 0; column < 4; ++column)
        matrix(row, column) = m[static_cast<size_t>(4 * column + row)];
    return decompose(matrix);
  }
  NodeTransform out;
  if (node.has("translation")) out.translation = Eigen::Vector3d(node.at("translation").numbers(3).data());
  if (node.has("scale")) out.scale = Eigen::Vector3d(node.at("scale").numbers(3).data());
  if (node.has("rotation")) {
    const std::vector<double> q = node.at("rotation").numbers(4);
    out.rotation = Eigen::Quaterniond(q[3], q[0], q[1], q[2]);
    if (!(out.rotation.norm() > 1e-6)) node.at("rotation").fail("a quaternion that is not 0");
    out.rotation.normalize();
  }
  return out;
}

// Traverses the default scene depth-first, so that parents come first.
void Reader::read_nodes() {
  const JsonAt root = file_.root();
  const size_t count = root.size_of("nodes");
  if (count > kMaxNodes) root.at("nodes").fail("at most " + std::to_string(kMaxNodes) + " nodes");
  scene_index_.assign(count, -1);
  scene_.nodes.push_back({"root", -1, {}});
  std::vector<std::pair<size_t, int>> open;  // stack of nodes to visit, with their parents
  const auto add_children = [&](const JsonAt& list, int parent) {
    for (size_t k = list.size(); k-- > 0;) open.push_back({list.at(k).index(count), parent});
  };
  if (root.size_of("scenes") > 0) {
    const size_t scene = root.index_or("scene", root.at("scenes").size(), 0);
    if (const JsonAt chosen = root.at("scenes").at(scene); chosen.has("nodes"))
      add_children(chosen.at("nodes"), 0);
  } else {
    std::vector<bool> is_child(count, false);
    for (size_t i = 0; i < count; ++i)
      for (size_t k = 0; k < node(i).size_of("children"); ++k)
        is_child[node(i).at("children").at(k).index(count)] = true;
    for (size_t i = count; i-- > 0;)
      if (!is_child[i]) open.push_back({i, 0});
  }
  while (!open.empty()) {
    const auto [i, parent] = open.back();
    open.pop_back();
    const JsonAt here = node(i);
    if (scene_index_[i] >= 0) here.fail("a node with one parent that is not its own ancestor");
    scene_index_[i] = static_cast<int>(scene_.nodes.size());
    scene_.nodes.push_back(
        {here.string_or("name", "node_" + std::to_string(i)).substr(0, 128), parent, read_transform(here)});
    if (here.has("children")) add_children(here.at("children"), scene_index_[i]);
  }
}

void Reader::read_mesh(size_t i) {
  const JsonAt meshes = file_.root().at("meshes");
  const JsonAt mesh = meshes.at(node(i).at("mesh").index(meshes.size()));
  const size_t skin = node(i).index_or("skin", file_.root().size_of("skins"), kNoSkin);
  for (size_t p = 0; p < mesh.at("primitives").size(); ++p)
    read_primitive(mesh.at("primitives").at(p), i, skin);
}

// Triangles of a list (mode 4), a strip (5) or a fan (6).
std::vector<body::Triangle> triangles_of(const std::vector<uint32_t>& index, size_t mode) {
  std::vector<body::Triangle> out;
  if (mode == 4)
    for (size_t k = 0; k + 2 < index.size(); k += 3) out.push_back({index[k], index[k + 1], index[k + 2]});
  else
    for (size_t k = 0; k + 2 < index.size(); ++k)
      out.push_back(mode == 6 ? body::Triangle{index[0], index[k + 1], index[k + 2]}
                              : body::Triangle{index[k], index[k + 1 + k % 2], index[k + 2 - k % 2]});
  return out;
}

void Reader::read_primitive(const JsonAt& primitive, size_t i, size_t skin) {
  const size_t mode = primitive.index_or("mode", 7, 4);
  if (mode < 4) {
    has_lines_ = true;
    return;
  }
  has_morphs_ = has_morphs_ || primitive.has("targets");
  const JsonAt accessors = file_.root().at("accessors");
  const auto accessor = [&](const JsonAt& at) { return accessors.at(at.index(accessors.size())); };
  const JsonAt positions = accessor(primitive.at("attributes").at("POSITION"));
  SceneMesh mesh;
  mesh.node = scene_index_[i];
  vertices_ += file_.count(positions);
  if (vertices_ > kMaxVertices)
    positions.fail("at most " + std::to_string(kMaxVertices) + " vertices in all meshes");
  const std::vector<float> p = file_.read_floats(positions, "VEC3");
  for (size_t k = 0; k + 2 < p.size(); k += 3) mesh.positions.push_back({p[k], p[k + 1], p[k + 2]});

  std::vector<uint32_t> index;
  if (primitive.has("indices")) {
    index = file_.read_indices(accessor(primitive.at("indices")), "SCALAR");
  } else {
    for (uint32_t k = 0; k < mesh.positions.size(); ++k) index.push_back(k);
  }
  for (const uint32_t k : index)
    if (k >= mesh.positions.size())
      throw std::runtime_error(primitive.path() + ": expected indices below " +
                               std::to_string(mesh.positions.size()) + ", found " + std::to_string(k));
  mesh.triangles = triangles_of(index, mode);
  if (skin != kNoSkin && primitive.at("attributes").has("JOINTS_0")) read_bones(primitive, skin, mesh);
  scene_.meshes.push_back(std::move(mesh));
}

void Reader::read_bones(const JsonAt& primitive, size_t skin_index, SceneMesh& mesh) {
  const JsonAt skin = file_.root().at("skins").at(skin_index);
  const JsonAt accessors = file_.root().at("accessors"), joints = skin.at("joints");
  const auto accessor = [&](const JsonAt& at) { return accessors.at(at.index(accessors.size())); };
  if (joints.size() == 0 || joints.size() > kMaxJoints)
    joints.fail("1 to " + std::to_string(kMaxJoints) + " joints");
  for (size_t k = 0; k < joints.size(); ++k) {
    mesh.bones.push_back(scene_index_[joints.at(k).index(scene_index_.size())]);
    if (mesh.bones.back() < 0) joints.at(k).fail("a node of the scene");
  }
  mesh.inverse_binds.assign(joints.size(), Affine3d::Identity());
  if (skin.has("inverseBindMatrices")) {
    const JsonAt matrices = accessor(skin.at("inverseBindMatrices"));
    const std::vector<float> m = file_.read_floats(matrices, "MAT4");
    if (m.size() < 16 * joints.size())
      matrices.fail("a matrix for each of " + std::to_string(joints.size()) + " joints");
    for (size_t k = 0; k < joints.size(); ++k)
      for (int row = 0; row < 3; ++row)
        for (int column = 0; column < 4; ++column)
          mesh.inverse_binds[k](row, column) = m[16 * k + static_cast<size_t>(4 * column + row)];
  }
  const JsonAt attributes = primitive.at("attributes");
  std::vector<std::vector<BoneWeight>> all(mesh.positions.size());
  for (const std::string set : {"0", "1"}) {
    if (!attributes.has("JOINTS_" + set)) continue;
    const std::vector<uint32_t> bone = file_.read_indices(accessor(attributes.at("JOINTS_" + set)), "VEC4");
    const std::vector<float> weight = file_.read_floats(accessor(attributes.at("WEIGHTS_" + set)), "VEC4");
    if (bone.size() != 4 * all.size() || weight.size() != 4 * all.size())
      attributes.fail("joints and weights for each of " + std::to_string(all.size()) + " vertices");
    for (size_t k = 0; k < bone.size(); ++k) {
      if (bone[k] >= joints.size() && weight[k] != 0)
        attributes.fail("joints below " + std::to_string(joints.size()) + " and not " +
                        std::to_string(bone[k]));
      if (weight[k] != 0) all[k / 4].push_back({bone[k], weight[k]});
    }
  }
  for (std::vector<BoneWeight>& weights : all) add_weights(mesh, std::move(weights));
}

void Reader::read_animation(size_t index) {
  const JsonAt animation = file_.root().at("animations").at(index);
  Animation out;
  out.name = animation.string_or("name", "animation_" + std::to_string(index)).substr(0, 128);
  for (size_t c = 0; c < animation.at("channels").size(); ++c)
    read_track(animation, animation.at("channels").at(c), out);
  std::set<std::pair<int, Track::Path>> seen;
  for (const Track& track : out.tracks)
    if (!seen.insert({track.node, track.path}).second)
      animation.at("channels").fail("each path of a node once and not twice");
  if (!out.tracks.empty()) scene_.animations.push_back(std::move(out));
}

void Reader::read_track(const JsonAt& animation, const JsonAt& channel, Animation& out) {
  static const std::pair<std::string, Track::Path> kPaths[] = {{"translation", Track::Path::translation},
                                                               {"rotation", Track::Path::rotation},
                                                               {"scale", Track::Path::scale}};
  const JsonAt target = channel.at("target");
  const std::string path = target.at("path").string();
  const auto known =
      std::find_if(std::begin(kPaths), std::end(kPaths), [&](const auto& p) { return p.first == path; });
  if (known == std::end(kPaths) || !target.has("node")) {
    has_morphs_ = has_morphs_ || path == "weights";
    return;
  }
  Track track;
  track.path = known->second;
  track.node = scene_index_[target.at("node").index(scene_index_.size())];
  if (track.node < 0) return;  // not in the scene

  const JsonAt sampler =
      animation.at("samplers").at(channel.at("sampler").index(animation.at("samplers").size()));
  const std::string interpolation = sampler.string_or("interpolation", "LINEAR");
  if (interpolation != "LINEAR" && interpolation != "STEP" && interpolation != "CUBICSPLINE")
    sampler.at("interpolation").fail("LINEAR, STEP or CUBICSPLINE");
  track.interpolation = interpolation == "STEP"     ? Track::Interpolation::step
                        : interpolation == "LINEAR" ? Track::Interpolation::linear
                                                    : Track::Interpolation::cubic;
  const JsonAt accessors = file_.root().at("accessors");
  const JsonAt input = accessors.at(sampler.at("input").index(accessors.size()));
  for (const float t : file_.read_floats(input, "SCALAR")) {
    if (t < 0 || (!track.times.empty() && t < track.times.back()))
      throw std::runtime_error(input.path() + ": expected increasing times from 0 on, found " +
                               std::to_string(t) + " as key " + std::to_string(track.times.size()));
    track.times.push_back(static_cast<double>(t));
  }
  if (track.times.empty()) input.fail("at least one key");
  const size_t width = track.path == Track::Path::rotation ? 4 : 3;
  const JsonAt output = accessors.at(sampler.at("output").index(accessors.size()));
  const std::vector<float> values = file_.read_floats(output, width == 4 ? "VEC4" : "VEC3");
  const size_t keys = track.times.size() * (interpolation == "CUBICSPLINE" ? 3 : 1);
  if (values.size() != width * keys)
    output.at("count").fail(std::to_string(keys) + " values, as there are keys");
  for (size_t k = 0; k < keys; ++k) {
    Eigen::Vector4d value = Eigen::Vector4d::Zero();
    for (size_t c = 0; c < width; ++c)
      value[static_cast<int>(c)] = static_cast<double>(values[width * k + c]);
    track.values.push_back(value);
  }
  out.tracks.push_back(std::move(track));
}

}  // namespace

Scene read_gltf(std::string_view bytes, const std::filesystem::path& folder) {
  return Reader(bytes, folder).read();
}

Character parse_gltf(std::string_view bytes, const std::string& name, const CharacterOptions& options,
                     const std::filesystem::path& folder) {
  try {
    Scene scene = read_gltf(bytes, folder);
    scene.name = name.substr(0, name.find_last_of('.'));
    return make_character(scene, options);
  } catch (const std::exception& e) {
    throw std::runtime_error(name + ": " + e.what());
  }
}

}  // namespace billow::importer
