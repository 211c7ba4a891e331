#include "import/makehuman.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <map>
#include <stdexcept>
#include <string_view>

#include "import/json_at.h"
#include "import/scene.h"

namespace billow::importer {
namespace {

using body::kNoJoint;

constexpr float kUnit = 0.1f;  // m
constexpr size_t kMaxMetadata = size_t{64} << 20;

// All vertices of the file, and the triangles of one group.
struct Obj {
  std::vector<V3> vertices;
  std::vector<body::Triangle> triangles;
};

class ObjReader {
 public:
  ObjReader(std::string_view text, std::string_view group) : text_(text), group_(group) {}

  Obj read() {
    while (!text_.empty()) {
      ++line_number_;
      const size_t end = std::min(text_.find('\n'), text_.size());
      line_ = text_.substr(0, end);
      text_.remove_prefix(std::min(end + 1, text_.size()));
      const std::string_view kind = word();
      if (kind == "v") read_vertex();
      if (kind == "g") in_group_ = word() == group_;
      if (kind == "f" && in_group_) read_face();
    }
    if (obj_.triangles.empty()) fail("expected faces of group '" + std::string(group_) + "', found none");
    return std::move(obj_);
  }

 private:
  [[noreturn]] void fail(const std::string& message) const {
    throw std::runtime_error("line " + std::to_string(line_number_) + ": " + message);
  }
  std::string_view word() {
    const size_t start = std::min(line_.find_first_not_of(" \t\r"), line_.size());
    line_.remove_prefix(start);
    const std::string_view out = line_.substr(0, std::min(line_.find_first_of(" \t\r"), line_.size()));
    line_.remove_prefix(out.size());
    return out;
  }
  template <class T> T number(std::string_view from) const {
    T value{};
    const auto [end, error] = std::from_chars(from.data(), from.data() + from.size(), value);
    if (error != std::errc{} || end != from.data() + from.size())
      fail("expected a number, found '" + std::string(from.substr(0, 40)) + "'");
    return value;
  }
  void read_vertex() {
    float p[3];
    for (float& c : p) {
      c = number<float>(word());
      if (!(std::fabs(c) < 1e6f)) fail("expected a finite number up to 1e6");
    }
    if (obj_.vertices.size() == kMaxVertices)
      fail("expected at most " + std::to_string(kMaxVertices) + " vertices");
    obj_.vertices.push_back({p[0], p[1], p[2]});
  }
  // Triangulates a polygon such as "4849/1 1/2 2/3 4848/4" as a fan. Indices start at 1.
  void read_face() {
    std::vector<uint32_t> corners;
    for (std::string_view w = word(); !w.empty(); w = word()) {
      const size_t index = number<size_t>(w.substr(0, w.find('/')));
      if (index < 1 || index > obj_.vertices.size())
        fail("expected a vertex from 1 to " + std::to_string(obj_.vertices.size()) + ", found " +
             std::to_string(index));
      corners.push_back(static_cast<uint32_t>(index - 1));
    }
    for (size_t k = 2; k < corners.size(); ++k)
      obj_.triangles.push_back({corners[0], corners[k - 1], corners[k]});
  }

  std::string_view text_, group_, line_;
  size_t line_number_ = 0;
  bool in_group_ = false;
  Obj obj_;
};

nlohmann::json read_json(const std::filesystem::path& file) {
  const std::string bytes = read_bytes(file);
  if (bytes.size() > kMaxMetadata)
    throw std::runtime_error("expected at most " + std::to_string(kMaxMetadata) + " bytes");
  return nlohmann::json::parse(bytes);
}

// A bone's head: the centroid of some vertices.
V3 centroid(const JsonAt& vertices, const Obj& obj) {
  V3 sum{0, 0, 0};
  if (vertices.size() == 0) vertices.fail("vertices");
  for (size_t k = 0; k < vertices.size(); ++k) sum += obj.vertices[vertices.at(k).index(obj.vertices.size())];
  return sum * (1 / static_cast<float>(vertices.size()));
}

// Adds bones in the order of their names, each after its parent.
body::Skeleton make_skeleton(const JsonAt& file, const Obj& obj) {
  const JsonAt bones = file.at("bones");
  if (!bones.raw().is_object() || bones.raw().size() > kMaxJoints)
    bones.fail("at most " + std::to_string(kMaxJoints) + " bones");
  body::Skeleton skeleton;
  std::map<std::string, std::pair<int, V3>> added;
  for (bool progress = true; progress;) {
    progress = false;
    for (const auto& [name, unused] : bones.raw().items()) {
      const JsonAt bone = bones.at(name);
      const bool is_root = bone.at("parent").raw().is_null();
      const std::string parent = is_root ? "" : bone.at("parent").string();
      if (added.count(name) || (!is_root && !added.count(parent))) continue;
      if (is_root && !added.empty()) bone.at("parent").fail("one root");
      const V3 at = centroid(file.at("joints").at(bone.at("head").string()), obj) * kUnit;
      const auto [index, origin] = is_root ? std::pair{kNoJoint, V3{0, 0, 0}} : added.at(parent);
      added[name] = {static_cast<int>(skeleton.size()), at};
      skeleton.joints.push_back({name, index, {at - origin, {0, 0, 0, 1}}});
      progress = true;
    }
  }
  for (const auto& [name, unused] : bones.raw().items())
    if (!added.count(name)) bones.at(name).at("parent").fail("a bone that leads to the root");
  return skeleton;
}

// Reads the weights of all vertices of the file.
SceneMesh read_weights(const JsonAt& file, const body::Skeleton& skeleton, size_t vertices) {
  const JsonAt weights = file.at("weights");
  if (!weights.raw().is_object()) weights.fail("an object");
  std::vector<std::vector<BoneWeight>> all(vertices);
  for (const auto& [name, unused] : weights.raw().items()) {
    const JsonAt list = weights.at(name);
    const int joint = skeleton.find(name);
    if (joint == kNoJoint) list.fail("weights of existing bones");
    for (size_t k = 0; k < list.size(); ++k)
      all[list.at(k).at(size_t{0}).index(vertices)].push_back(
          {static_cast<uint32_t>(joint), static_cast<float>(list.at(k).at(1).number())});
  }
  SceneMesh out;
  for (std::vector<BoneWeight>& w : all) add_weights(out, std::move(w));
  return out;
}

// Keeps only the vertices that triangles use.
body::Skin make_skin(const Obj& obj, const SceneMesh& weights) {
  body::Skin skin;
  std::map<uint32_t, uint32_t> new_index;
  for (const body::Triangle& t : obj.triangles) {
    body::Triangle renumbered{};
    for (size_t k = 0; k < 3; ++k) {
      const auto [entry, is_new] = new_index.emplace(t[k], static_cast<uint32_t>(new_index.size()));
      renumbered[k] = entry->second;
      if (!is_new) continue;
      skin.mesh.positions.push_back(obj.vertices[t[k]] * kUnit);
      skin.joints.push_back(weights.joints[t[k]]);
      skin.weights.push_back(weights.weights[t[k]]);
    }
    skin.mesh.triangles.push_back(renumbered);
  }
  return skin;
}

// Runs `work` and prefixes the message of an exception with the file's name.
template <class Work> auto with_file_name(const std::filesystem::path& file, Work work) {
  try {
    return work();
  } catch (const std::exception& e) {
    throw std::runtime_error(file.filename().string() + ": " + e.what());
  }
}

}  // namespace

Character read_makehuman(const MakeHumanFiles& files) {
  const Obj obj = with_file_name(files.mesh, [&] {
    const std::string text = read_bytes(files.mesh);
    return ObjReader(text, "body").read();
  });
  Character character;
  character.name = files.mesh.stem().string();
  character.skeleton = with_file_name(files.skeleton, [&] {
    const nlohmann::json json = read_json(files.skeleton);
    return make_skeleton({json, ""}, obj);
  });
  character.skin = with_file_name(files.weights, [&] {
    const nlohmann::json json = read_json(files.weights);
    return make_skin(obj, read_weights({json, ""}, character.skeleton, obj.vertices.size()));
  });
  // Move the lowest vertex to y = 0.
  float low = std::numeric_limits<float>::max();
  for (const V3 p : character.skin.mesh.positions) low = std::min(low, p.y);
  for (V3& p : character.skin.mesh.positions) p.y -= low;
  if (!character.skeleton.joints.empty()) character.skeleton.joints[0].rest.position.y -= low;
  return with_file_name(files.skeleton, [&] {
    body::validate(character.skeleton);
    character.skin.joint_rest = body::rest_transforms(character.skeleton);
    validate(character);
    return std::move(character);
  });
}

}  // namespace billow::importer
