// `billow bake`: writes the built-in person and its motions as files for the web viewer (docs/viewer.md).
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "body/postures.h"
#include "body/skin.h"
#include "commands.h"
#include "dataset/reader/dataset_file.h"
#include "files.h"
#include "files/npy.h"
#include "files/whole_file.h"
#include "motion/clip.h"
#include "motion/motions.h"

namespace billow::tool {
namespace {

using Json = nlohmann::ordered_json;

struct BakeOptions {
  std::string folder, reference, clip;
  std::vector<std::string> motions;
  double seconds = 16, rate = 60;
  uint32_t seed = 3;
};

// Output is collected here and written at the end, so that an error leaves no partial output.
struct Baked {
  Json json;
  std::vector<std::pair<std::string, std::string>> files;  // names and bytes
};

// Appends values to a byte buffer, little-endian without padding.
class Bytes {
 public:
  template <class T> void add(T value) { text_.append(reinterpret_cast<const char*>(&value), sizeof value); }
  size_t size() const { return text_.size(); }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

// Quantises a value in [-1, 1] to int16 with scale 1/32767.
int16_t quantise_signed(float value) {
  return static_cast<int16_t>(std::lround(32767 * std::clamp(value, -1.0f, 1.0f)));
}

Json joints_as_json(const body::Skeleton& skeleton) {
  Json out = Json::array();
  for (const body::Joint& joint : skeleton.joints) {
    const V3 p = joint.rest.position;
    const Quat q = joint.rest.rotation;
    out.push_back({{"name", joint.name},
                   {"parent", joint.parent},
                   {"position", {p.x, p.y, p.z}},
                   {"rotation", {q.x, q.y, q.z, q.w}}});
  }
  return out;
}

// Layout of skin.bin: positions float32, joints uint8, weights uint8, triangles uint16. The weights of a
// vertex sum to 255; its first weight takes the rounding error.
Json bake_skin(const body::Skin& skin, Baked& baked) {
  const size_t vertices = skin.mesh.positions.size();
  if (vertices > 65535 || skin.joint_rest.size() > 255)
    throw std::runtime_error("the skin: expected up to 65535 vertices and 255 joints, found " +
                             std::to_string(vertices) + " and " + std::to_string(skin.joint_rest.size()));
  Bytes bytes;
  for (const V3 p : skin.mesh.positions) bytes.add(p.x), bytes.add(p.y), bytes.add(p.z);
  for (const auto& joints : skin.joints)
    for (const uint32_t j : joints) bytes.add(static_cast<uint8_t>(j));
  for (const auto& weights : skin.weights) {
    int remaining = 255;
    uint8_t quantised[body::kJointsPerVertex];
    for (size_t k = body::kJointsPerVertex; k-- > 1;) {
      quantised[k] = static_cast<uint8_t>(std::lround(255 * std::clamp(weights[k], 0.0f, 1.0f)));
      remaining -= quantised[k];
    }
    quantised[0] = static_cast<uint8_t>(std::max(0, remaining));
    for (const uint8_t q : quantised) bytes.add(q);
  }
  for (const body::Triangle& t : skin.mesh.triangles)
    for (const uint32_t v : t) bytes.add(static_cast<uint16_t>(v));
  baked.files.emplace_back("skin.bin", bytes.text());
  return {{"file", "skin.bin"}, {"vertices", vertices}, {"triangles", skin.mesh.triangles.size()}};
}

// Frame layout: root position as float32, then for each joint its rotation relative to the parent, a
// quaternion x y z w as int16 with scale 1/32767.
std::string frames_as_bytes(const std::vector<body::Pose>& frames) {
  Bytes bytes;
  for (const body::Pose& pose : frames) {
    const V3 p = pose.root_position;
    bytes.add(p.x), bytes.add(p.y), bytes.add(p.z);
    for (const Quat rotation : pose.rotations) {
      const Quat q = normalized(rotation);
      for (const float component : {q.x, q.y, q.z, q.w}) bytes.add(quantise_signed(component));
    }
  }
  return bytes.text();
}

Json bake_motion(const body::Person& person, const std::string& kind, const BakeOptions& o, Baked& baked) {
  const motion::Loop loop =
      motion::make_loop(motion::make_motion(person, {kind, o.seed, o.seconds, o.rate, 0}), 1, o.seconds / 3);
  const std::string file = "motion_" + kind + ".bin";
  baked.files.emplace_back(file, frames_as_bytes(loop.clip.frames));
  std::string about;
  for (const motion::MotionKind& k : motion::motion_kinds())
    if (k.name == kind) about = k.about;
  return {{"name", kind},
          {"about", about},
          {"file", file},
          {"frames", loop.clip.frames.size()},
          {"frames_per_second", o.rate},
          {"loop_from", loop.first}};
}

// Converts world joint transforms (7 floats each: position, quaternion) to a pose of local rotations.
body::Pose pose_of(const body::Skeleton& skeleton, std::span<const float> joints) {
  std::vector<Quat> world;
  for (size_t j = 0; j < skeleton.size(); ++j) {
    const float* joint = joints.data() + 7 * j;
    world.push_back(normalized(Quat{joint[3], joint[4], joint[5], joint[6]}));
  }
  body::Pose pose;
  pose.root_position = {joints[0], joints[1], joints[2]};
  for (size_t j = 0; j < skeleton.size(); ++j) {
    const int parent = skeleton.joints[j].parent;
    pose.rotations.push_back(parent == body::kNoJoint
                                 ? world[j]
                                 : normalized(conjugate(world[static_cast<size_t>(parent)]) * world[j]));
  }
  return pose;
}

// Bakes a clip of a data set with its reference cloth. The motion is stored like any other. The cloth of each
// frame is stored relative to the root position, as int16 with scale `unit`.
Json bake_reference(const body::Person& person, const BakeOptions& o, Baked& baked) {
  const dataset::DatasetInfo info = dataset::read_dataset(o.reference);
  size_t clip = 0;
  while (clip < info.clips.size() && info.clips[clip].name != o.clip) ++clip;
  if (clip == info.clips.size())
    throw std::runtime_error(o.reference + ": expected a clip '" + o.clip + "', found none of that name");
  const files::NpyMap joints(info.clip_folder(clip) / "joints.npy"),
      cloth(info.clip_folder(clip) / "cloth.npy");
  if (info.preset != "average" ||
      joints.shape() != std::vector<size_t>{info.clips[clip].frames, person.skeleton.size(), 7})
    throw std::runtime_error(o.reference + ": expected a data set of the built-in average person");
  constexpr float kUnit = 1.0f / 10000;  // m; int16 covers 3.2 m around the root
  std::vector<body::Pose> frames;
  Bytes bytes;
  for (size_t f = 0; f < info.clips[clip].frames; ++f) {
    frames.push_back(pose_of(person.skeleton, joints.row(f)));
    const V3 p = frames.back().root_position;
    const float root[3] = {p.x, p.y, p.z};
    const std::span<const float> values = cloth.row(f);
    for (size_t k = 0; k < values.size(); ++k)
      bytes.add(quantise_signed((values[k] - root[k % 3]) / (32767 * kUnit)));
  }
  baked.files.emplace_back("motion_reference.bin", frames_as_bytes(frames));
  baked.files.emplace_back("reference_cloth.bin", bytes.text());
  return {{"name", "reference"},
          {"about", "a simulated clip, '" + o.clip + "', beside what the garment makes of it"},
          {"file", "motion_reference.bin"},
          {"frames", frames.size()},
          {"frames_per_second", info.frames_per_second},
          {"loop_from", 0},
          {"cloth",
           {{"file", "reference_cloth.bin"},
            {"garment", info.garment},
            {"vertices", info.vertices},
            {"unit", kUnit}}}};
}

void bake(const BakeOptions& o) {
  const body::Person person = body::make_person();
  Baked baked;
  Json& json = baked.json;
  json = {{"format", "billow person"}, {"version", 1}, {"joints", joints_as_json(person.skeleton)}};
  json["skin"] = nullptr;
  json["motions"] = Json::array();
  for (const std::string& kind : o.motions) json["motions"].push_back(bake_motion(person, kind, o, baked));
  if (!o.reference.empty()) json["motions"].push_back(bake_reference(person, o, baked));
  json["skin"] = bake_skin(body::make_skin(person), baked);

  // Write person.json last: it refers to all other files.
  const std::filesystem::path folder = make_folder(o.folder);
  for (const auto& [name, bytes] : baked.files) files::write_whole_file(folder / name, bytes);
  files::write_whole_file(folder / "person.json", json.dump(1) + "\n");
  std::printf("%zu motions and a skin of %zu vertices in %s\n", json["motions"].size(),
              json["skin"]["vertices"].get<size_t>(), o.folder.c_str());
}

}  // namespace

void add_bake(CLI::App& app) {
  auto* command =
      app.add_subcommand("bake", "Write the built-in person and its motions as files for the web viewer");
  auto o = std::make_shared<BakeOptions>();
  o->motions = {"run", "walk", "dance", "jump", "stop", "spin", "pirouette", "bend", "squat", "stand"};
  command->add_option("-o,--out", o->folder, "Output folder")->required();
  command
      ->add_option("--motions", o->motions,
                   "Motions to write, separated by commas; `billow motion list` prints the names")
      ->delimiter(',')
      ->capture_default_str();
  command->add_option("--seconds", o->seconds, "Length of each motion in seconds, before it is made to loop")
      ->check(CLI::Range(5.0, 120.0))
      ->capture_default_str();
  command->add_option("--rate", o->rate, "Frame rate of the motions")
      ->check(CLI::Range(10.0, 240.0))
      ->capture_default_str();
  command->add_option("--seed", o->seed, "Random seed of the motions")->capture_default_str();
  auto* reference =
      command->add_option("--reference", o->reference,
                          "Data set with a reference clip that the viewer shows next to the garment");
  command->add_option("--clip", o->clip, "Name of the reference clip in that data set")->needs(reference);
  reference->needs("--clip");
  command->footer(
      "Examples\n"
      "  billow bake -o viewer/public/person\n"
      "  billow bake -o viewer/public/person --reference data/cape --clip 'run 1000007'\n");
  command->callback([o] { bake(*o); });
}

}  // namespace billow::tool
