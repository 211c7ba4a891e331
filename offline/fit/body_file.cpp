#include "fit/body_file.h"

#include <array>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>

#include "body/contacts.h"
#include "files/whole_file.h"
#include "import/json_at.h"

namespace billow::fit {
namespace {

using importer::expect_keys;
using importer::JsonAt;

constexpr const char* kFormat = "billow body";
constexpr size_t kVersion = 1, kMaxBytes = size_t{4} << 20, kMaxJoints = 65536;

// The shapes of a file and the fields that each of them has.
struct ShapeFields {
  const char* name;
  billow_shape shape;
  bool end, rotation, radius, radius_end, half_extents;
};
constexpr ShapeFields kShapes[] = {
    {"sphere", BILLOW_SHAPE_SPHERE, false, false, true, false, false},
    {"capsule", BILLOW_SHAPE_CAPSULE, true, false, true, false, false},
    {"tapered_capsule", BILLOW_SHAPE_TAPERED_CAPSULE, true, false, true, true, false},
    {"ellipsoid", BILLOW_SHAPE_ELLIPSOID, false, true, false, false, true},
    {"box", BILLOW_SHAPE_BOX, false, true, true, false, true},
};

const ShapeFields& fields_of(billow_shape shape) {
  for (const ShapeFields& s : kShapes)
    if (s.shape == shape) return s;
  throw std::runtime_error("body file: only spheres, capsules, ellipsoids and boxes can be written");
}

// ---- Writing

std::string array_text(const float* v, size_t count) {
  std::string out = "[";
  for (size_t k = 0; k < count; ++k) out += (k > 0 ? ", " : "") + files::shortest(v[k]);
  return out + "]";
}
std::string quoted(const std::string& text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string collider_text(const BodyFile& body, size_t i) {
  const billow_collider& c = body.colliders[i].collider;
  const ShapeFields& fields = fields_of(c.shape);
  std::string out =
      "    {\"name\": " + quoted(body.colliders[i].name) + ", \"shape\": \"" + fields.name + "\"";
  const auto append = [&](const char* key, const std::string& value) {
    out += std::string(", \"") + key + "\": " + value;
  };
  const auto add_line = [&](const char* key, const std::string& value) {
    out += std::string(",\n     \"") + key + "\": " + value;
  };
  std::string joints, weights;
  for (size_t k = 0; k < BILLOW_JOINTS_PER_COLLIDER; ++k) {
    if (!(c.weight[k] > 0)) continue;
    joints += (joints.empty() ? "" : ", ") + quoted(body.joints.at(c.joint[k]).name);
    weights += (weights.empty() ? "" : ", ") + files::shortest(c.weight[k]);
  }
  add_line("joints", "[" + joints + "]");
  append("weights", "[" + weights + "]");
  add_line("position", array_text(c.position, 3));
  if (fields.end) append("end", array_text(c.end, 3));
  if (fields.rotation) append("rotation", array_text(c.rotation, 4));
  if (fields.half_extents) append("half_extents", array_text(c.half_extents, 3));
  if (fields.radius) append("radius", files::shortest(c.radius));
  if (fields.radius_end) append("radius_end", files::shortest(c.radius_end));
  if (c.blend_with >= 0) {
    add_line("blend_with", quoted(body.colliders.at(static_cast<size_t>(c.blend_with)).name));
    append("blend_radius", files::shortest(c.blend_radius));
  }
  add_line("group", quoted(body::group_name(c.group)));
  if (body.colliders[i].fixed) add_line("fixed", "true");
  return out + "}";
}

// ---- Reading

nlohmann::json parse(std::string_view text) {
  if (text.size() > kMaxBytes)
    throw std::runtime_error("expected at most " + std::to_string(kMaxBytes) + " bytes, found " +
                             std::to_string(text.size()));
  return importer::parse_strictly(text);
}

void read_numbers(const JsonAt& at, float* out, size_t count) {
  const std::vector<double> values = at.numbers(count);
  for (size_t k = 0; k < count; ++k) out[k] = static_cast<float>(values[k]);
}

// A name that is not empty and not taken.
std::string read_name(const JsonAt& at, std::set<std::string>& taken) {
  std::string name = at.at("name").string();
  if (name.empty() || name.size() > 200 || !taken.insert(name).second)
    at.at("name").fail("a unique name of 1 to 200 bytes");
  return name;
}

BodyJoint read_joint(const JsonAt& at, std::set<std::string>& taken) {
  expect_keys(at, {"name", "position", "rotation"});
  BodyJoint joint;
  joint.name = read_name(at, taken);
  float p[3], q[4];
  read_numbers(at.at("position"), p, 3);
  read_numbers(at.at("rotation"), q, 4);
  joint.rest = {{p[0], p[1], p[2]}, {q[0], q[1], q[2], q[3]}};
  const float square = dot(joint.rest.rotation, joint.rest.rotation);
  if (!(square > 0.9f && square < 1.1f)) at.at("rotation").fail("a quaternion of length 1");
  return joint;
}

void read_joints(const JsonAt& at, const std::vector<BodyJoint>& joints, billow_collider& c) {
  const JsonAt names = at.at("joints");
  const size_t count = names.size();
  if (count < 1 || count > BILLOW_JOINTS_PER_COLLIDER) names.fail("1 to 4 names of joints");
  c.weight[0] = 1;
  if (at.has("weights") || count > 1) read_numbers(at.at("weights"), c.weight, count);
  for (size_t k = 0; k < count; ++k) {
    if (!(c.weight[k] > 0)) at.at("weights").at(k).fail("more than 0");
    const std::string name = names.at(k).string();
    size_t j = 0;
    while (j < joints.size() && joints[j].name != name) ++j;
    if (j == joints.size()) names.at(k).fail("a joint of the file's list");
    c.joint[k] = static_cast<uint32_t>(j);
  }
}

const ShapeFields& read_shape(const JsonAt& at) {
  const std::string shape = at.string();
  std::string known;
  for (const ShapeFields& s : kShapes) {
    if (shape == s.name) return s;
    known += (known.empty() ? "" : ", ") + std::string(s.name);
  }
  at.fail("one of " + known);
}

NamedCollider read_collider(const JsonAt& at, const BodyFile& body, std::set<std::string>& taken) {
  NamedCollider out;
  billow_collider& c = out.collider;
  const ShapeFields& fields = read_shape(at.at("shape"));
  std::set<std::string> known{"name",       "shape",        "joints", "weights", "position",
                              "blend_with", "blend_radius", "fixed",  "group"};
  if (fields.end) known.insert("end");
  if (fields.rotation) known.insert("rotation");
  if (fields.radius) known.insert("radius");
  if (fields.radius_end) known.insert("radius_end");
  if (fields.half_extents) known.insert("half_extents");
  expect_keys(at, known);

  out.name = read_name(at, taken);
  c.shape = fields.shape;
  read_joints(at, body.joints, c);
  read_numbers(at.at("position"), c.position, 3);
  if (fields.end) read_numbers(at.at("end"), c.end, 3);
  if (at.has("rotation")) read_numbers(at.at("rotation"), c.rotation, 4);
  if (fields.half_extents) read_numbers(at.at("half_extents"), c.half_extents, 3);
  if (fields.radius) c.radius = static_cast<float>(at.at("radius").number());
  if (fields.radius_end) c.radius_end = static_cast<float>(at.at("radius_end").number());
  if (at.has("group")) {
    const int group = body::group_named(at.at("group").string());
    if (group < 0) at.at("group").fail("one of " + body::group_names());
    c.group = static_cast<uint32_t>(group);
  }
  if (at.has("fixed")) out.fixed = at.at("fixed").boolean();
  if (at.has("blend_radius") && !at.has("blend_with")) at.fail("'blend_with' together with 'blend_radius'");
  if (!at.has("blend_with")) return out;
  const std::string with = at.at("blend_with").string();
  for (size_t i = 0; i < body.colliders.size(); ++i)
    if (body.colliders[i].name == with) c.blend_with = static_cast<int32_t>(i);
  if (c.blend_with < 0) at.at("blend_with").fail("the name of an earlier collider");
  c.blend_radius = static_cast<float>(at.at("blend_radius").number());
  return out;
}

// Creates a body through the API, which checks the parameters.
void check_by_api(const BodyFile& body) {
  std::vector<billow_collider> shapes;
  for (const NamedCollider& c : body.colliders) shapes.push_back(c.collider);
  billow_body_desc desc{};
  desc.colliders = shapes.data();
  desc.collider_count = static_cast<uint32_t>(shapes.size());
  desc.joint_count = static_cast<uint32_t>(body.joints.size());
  billow_body* body_handle = nullptr;
  if (billow_body_create(&desc, &body_handle) != BILLOW_OK) throw std::runtime_error(billow_last_error());
  billow_body_destroy(body_handle);
}

}  // namespace

BodyFile make_body_file(std::string character, const body::Skeleton& skeleton,
                        std::span<const NamedCollider> colliders) {
  BodyFile out{std::move(character), {}, {colliders.begin(), colliders.end()}};
  const std::vector<Transform> rest = rest_transforms(skeleton);
  std::set<uint32_t> used;
  for (const NamedCollider& c : colliders)
    for (size_t k = 0; k < BILLOW_JOINTS_PER_COLLIDER; ++k)
      if (c.collider.weight[k] > 0) used.insert(c.collider.joint[k]);
  std::vector<uint32_t> new_index(skeleton.size(), 0);
  for (const uint32_t j : used) {
    new_index.at(j) = static_cast<uint32_t>(out.joints.size());
    out.joints.push_back({skeleton.joints[j].name, rest[j]});
  }
  for (NamedCollider& c : out.colliders)
    for (size_t k = 0; k < BILLOW_JOINTS_PER_COLLIDER; ++k)
      c.collider.joint[k] = c.collider.weight[k] > 0 ? new_index[c.collider.joint[k]] : 0;
  return out;
}

std::vector<NamedCollider> bind(const BodyFile& file, const body::Skeleton& skeleton) {
  const std::vector<Transform> rest = rest_transforms(skeleton);
  float size = 0;
  for (const Transform& t : rest) size = std::max(size, length(t.position - rest[0].position));
  std::vector<uint32_t> new_index;
  for (const BodyJoint& joint : file.joints) {
    const int found = skeleton.find(joint.name);
    if (found == body::kNoJoint)
      throw std::invalid_argument("body file: expected a character with the joint '" + joint.name +
                                  "', found none");
    const V3 a = joint.rest.position, b = rest[static_cast<size_t>(found)].position;
    if (length(a - b) > 1e-4f + 0.002f * size)
      throw std::invalid_argument("body file: expected joint '" + joint.name + "' to rest at " +
                                  array_text(&a.x, 3) + ", found it at " + array_text(&b.x, 3) +
                                  ": the file was made for another rest pose");
    new_index.push_back(static_cast<uint32_t>(found));
  }
  std::vector<NamedCollider> out = file.colliders;
  for (NamedCollider& c : out)
    for (size_t k = 0; k < BILLOW_JOINTS_PER_COLLIDER; ++k)
      c.collider.joint[k] = c.collider.weight[k] > 0 ? new_index.at(c.collider.joint[k]) : 0;
  return out;
}

std::string body_to_text(const BodyFile& body) {
  std::string out = "{\n  \"format\": \"" + std::string(kFormat) +
                    "\",\n  \"version\": " + std::to_string(kVersion) +
                    ",\n  \"character\": " + quoted(body.character) + ",\n  \"joints\": [";
  for (size_t j = 0; j < body.joints.size(); ++j) {
    const BodyJoint& joint = body.joints[j];
    out += std::string(j > 0 ? "," : "") + "\n    {\"name\": " + quoted(joint.name) +
           ", \"position\": " + array_text(&joint.rest.position.x, 3) +
           ", \"rotation\": " + array_text(&joint.rest.rotation.x, 4) + "}";
  }
  out += "\n  ],\n  \"colliders\": [";
  for (size_t i = 0; i < body.colliders.size(); ++i)
    out += std::string(i > 0 ? "," : "") + "\n" + collider_text(body, i);
  return out + "\n  ]\n}\n";
}

BodyFile body_from_text(std::string_view text) {
  const nlohmann::json json = parse(text);
  const JsonAt root(json, "");
  expect_keys(root, {"format", "version", "character", "joints", "colliders"});
  if (root.at("format").string() != kFormat) root.at("format").fail(std::string("\"") + kFormat + "\"");
  if (root.at("version").index(1000000) != kVersion)
    root.at("version").fail("version " + std::to_string(kVersion));
  BodyFile out;
  out.character = root.at("character").string();
  const JsonAt joints = root.at("joints"), colliders = root.at("colliders");
  if (joints.size() < 1 || joints.size() > kMaxJoints)
    joints.fail("1 to " + std::to_string(kMaxJoints) + " joints");
  if (colliders.size() > BILLOW_MAX_COLLIDERS)
    colliders.fail("at most " + std::to_string(BILLOW_MAX_COLLIDERS) + " colliders");
  std::set<std::string> joint_names, collider_names;
  for (size_t j = 0; j < joints.size(); ++j) out.joints.push_back(read_joint(joints.at(j), joint_names));
  for (size_t i = 0; i < colliders.size(); ++i)
    out.colliders.push_back(read_collider(colliders.at(i), out, collider_names));
  check_by_api(out);
  return out;
}

void write_body_file(const BodyFile& body, const std::filesystem::path& path) {
  files::write_whole_file(path, body_to_text(body));
}

BodyFile read_body_file(const std::filesystem::path& path) {
  const std::string text = files::read_whole_file(path, kMaxBytes);
  try {
    return body_from_text(text);
  } catch (const std::runtime_error& e) {
    throw std::runtime_error(path.string() + ": " + e.what());
  }
}

}  // namespace billow::fit
