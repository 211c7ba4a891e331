#include "dataset/reader/character_body.h"

#include <nlohmann/json.hpp>
#include <stdexcept>

#include "body/person.h"
#include "dataset/clip_writer.h"
#include "files/whole_file.h"
#include "import/json_at.h"

namespace billow::dataset {
namespace {

namespace fs = std::filesystem;
using importer::JsonAt;

constexpr const char *kSkeleton = "skeleton.json", *kBody = "body.json", *kFormat = "billow skeleton";
constexpr size_t kMaxBytes = size_t{4} << 20;

std::string float_list(const float* v, size_t count) {
  std::string out = "[";
  for (size_t k = 0; k < count; ++k) out += (k > 0 ? ", " : "") + files::shortest(v[k]);
  return out + "]";
}

std::string as_json(const std::string& text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

body::Joint read_joint(const JsonAt& at, const body::Skeleton& earlier) {
  importer::expect_keys(at, {"name", "parent", "position", "rotation"});
  body::Joint joint;
  joint.name = at.at("name").string();
  const JsonAt parent = at.at("parent");
  if (earlier.joints.empty() && !parent.raw().is_null()) parent.fail("null, as it is the root");
  if (!earlier.joints.empty()) {
    joint.parent = parent.raw().is_null() ? body::kNoJoint : earlier.find(parent.string());
    if (joint.parent == body::kNoJoint) parent.fail("the name of an earlier joint");
  }
  const std::vector<double> p = at.at("position").numbers(3), q = at.at("rotation").numbers(4);
  const auto f = [](double v) { return static_cast<float>(v); };
  joint.rest = {{f(p[0]), f(p[1]), f(p[2])}, {f(q[0]), f(q[1]), f(q[2]), f(q[3])}};
  return joint;
}

}  // namespace

OwnedCharacterBody own_character_body(const std::string& name, const body::Skeleton& skeleton,
                                      const fit::BodyFile& body) {
  OwnedCharacterBody out{"", name, skeleton, {}, {}};
  for (const fit::NamedCollider& c : fit::bind(body, skeleton)) {
    out.colliders.push_back(c.collider);
    out.collider_names.push_back(c.name);
  }
  return out;
}

std::string skeleton_to_text(const body::Skeleton& skeleton) {
  std::string out = "{\n  \"format\": \"" + std::string(kFormat) + "\",\n  \"version\": 1,\n  \"joints\": [";
  for (size_t j = 0; j < skeleton.size(); ++j) {
    const body::Joint& joint = skeleton.joints[j];
    const std::string parent = joint.parent == body::kNoJoint
                                   ? "null"
                                   : as_json(skeleton.joints[static_cast<size_t>(joint.parent)].name);
    out += std::string(j > 0 ? "," : "") + "\n    {\"name\": " + as_json(joint.name) +
           ", \"parent\": " + parent + ", \"position\": " + float_list(&joint.rest.position.x, 3) +
           ", \"rotation\": " + float_list(&joint.rest.rotation.x, 4) + "}";
  }
  return out + "\n  ]\n}\n";
}

body::Skeleton skeleton_from_text(std::string_view text) {
  const nlohmann::json json = importer::parse_strictly(text);
  const JsonAt root(json, "");
  importer::expect_keys(root, {"format", "version", "joints"});
  if (root.at("format").string() != kFormat) root.at("format").fail(std::string("\"") + kFormat + "\"");
  if (root.at("version").index(1000000) != 1) root.at("version").fail("version 1");
  body::Skeleton skeleton;
  for (size_t j = 0; j < root.at("joints").size(); ++j)
    skeleton.joints.push_back(read_joint(root.at("joints").at(j), skeleton));
  try {
    body::validate(skeleton);
  } catch (const std::invalid_argument& e) {
    throw std::runtime_error(e.what());
  }
  return skeleton;
}

std::vector<std::pair<std::string, std::string>> character_files(const OwnedCharacterBody& character_body) {
  if (!character_body.preset.empty()) return {};
  std::vector<fit::NamedCollider> colliders;
  for (size_t i = 0; i < character_body.colliders.size(); ++i)
    colliders.push_back({character_body.collider_names[i], character_body.colliders[i], false});
  return {{kBody, fit::body_to_text(
                      fit::make_body_file(character_body.character, character_body.skeleton, colliders))},
          {kSkeleton, skeleton_to_text(character_body.skeleton)}};
}

void write_character_body(const OwnedCharacterBody& character_body, const fs::path& folder) {
  for (const auto& [name, text] : character_files(character_body))
    files::write_whole_file(folder / name, text);
}

OwnedCharacterBody read_character_body(const fs::path& folder, const std::string& preset,
                                       const std::string& character) {
  if (!preset.empty()) return person_as_character_body(preset);
  const std::string text = files::read_whole_file(folder / kSkeleton, kMaxBytes);
  const fit::BodyFile body = fit::read_body_file(folder / kBody);
  try {
    return own_character_body(character, skeleton_from_text(text), body);
  } catch (const std::exception& e) {
    throw std::runtime_error((folder / kSkeleton).string() + ": " + e.what());
  }
}

}  // namespace billow::dataset
