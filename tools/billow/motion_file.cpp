#include "motion_file.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdio>
#include <memory>
#include <mutex>
#include <stdexcept>

#include "motion/motions.h"
#include "motion/retarget.h"
#include "motion/separate_limbs.h"

namespace billow::tool {
namespace {

bool has_motion_extension(const std::string& file) {
  std::string extension = std::filesystem::path(file).extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](unsigned char c) { return std::tolower(c); });
  return extension == ".bvh" || extension == ".glb" || extension == ".gltf" || extension == ".fbx" ||
         extension == ".dae";
}

// The file read last is kept: the clips of a file are asked for one after another, by several threads when imported.
std::shared_ptr<const importer::Character> read(const MotionFile& motion) {
  static std::mutex mutex;
  static MotionFile of;
  static std::shared_ptr<const importer::Character> last;
  const std::lock_guard lock(mutex);
  if (!last || of.file != motion.file || of.scale != motion.scale || of.leave_out != motion.leave_out) {
    last = nullptr;
    last = std::make_shared<const importer::Character>(
        importer::read_character(motion.file, {.scale = motion.scale, .leave_out = motion.leave_out}));
    of = motion;
  }
  return last;
}

const motion::Clip& selected_clip(const importer::Character& character, const std::string& name) {
  if (!name.empty() || character.clips.size() != 1) {
    if (name.empty() && !character.clips.empty())
      throw std::invalid_argument(character.name + " has " + std::to_string(character.clips.size()) +
                                  " clips: say which, as in " + character.name +
                                  ".glb:" + character.clips[0].name);
    return importer::clip_named(character, name);
  }
  return character.clips[0];
}

// Parses a built-in motion and its seed.
std::optional<std::pair<std::string, uint32_t>> built_in_named(const std::string& name) {
  const size_t separator = name.find_first_of(": ");  // data sets write a space
  const std::string kind = name.substr(0, separator),
                    seed = separator == std::string::npos ? "1" : name.substr(separator + 1);
  uint32_t number = 0;
  const auto [end, error] = std::from_chars(seed.data(), seed.data() + seed.size(), number);
  if (error != std::errc() || end != seed.data() + seed.size()) return std::nullopt;
  for (const motion::MotionKind& known : motion::motion_kinds())
    if (known.name == kind) return std::pair{kind, number};
  return std::nullopt;
}

// Whether the file's skeleton has all joints of another, at the same rest positions within 0.2 % of its size.
bool has_joints_of(const body::Skeleton& file, const body::Skeleton& skeleton) {
  const auto file_rest = body::rest_transforms(file), rest = body::rest_transforms(skeleton);
  float size = 0;
  for (const Transform& t : rest) size = std::max(size, length(t.position - rest[0].position));
  for (size_t j = 0; j < skeleton.size(); ++j) {
    const int found = file.find(skeleton.joints[j].name);
    if (found == body::kNoJoint) return false;
    if (length(file_rest[static_cast<size_t>(found)].position - rest[j].position) > 0.002f * size + 1e-4f)
      return false;
  }
  return true;
}

// Transfers the motion of each joint relative to its rest, because local axes of the two skeletons may differ.
motion::Clip transferred(const body::Skeleton& file, const motion::Clip& clip,
                         const body::Skeleton& skeleton) {
  const auto file_rest = body::rest_transforms(file), rest = body::rest_transforms(skeleton);
  motion::Clip out{clip.name, clip.frames_per_second, {}, clip.loops};
  for (const body::Pose& frame : clip.frames) {
    const auto file_joints = body::joint_transforms(file, frame);
    std::vector<Transform> joints;
    body::Pose pose;
    for (size_t j = 0; j < skeleton.size(); ++j) {
      const auto k = static_cast<size_t>(file.at(skeleton.joints[j].name));
      joints.push_back(file_joints[k] * inverse(file_rest[k]) * rest[j]);
      const int parent = skeleton.joints[j].parent;
      const Transform local =
          parent == body::kNoJoint ? joints[j] : inverse(joints[static_cast<size_t>(parent)]) * joints[j];
      if (parent == body::kNoJoint) pose.root_position = local.position;
      pose.rotations.push_back(normalized(local.rotation));
      pose.offsets.push_back(local.position);
    }
    out.frames.push_back(std::move(pose));
  }
  return out;
}

}  // namespace

const motion::MotionBundle& captured_bundle() {
  static const motion::MotionBundle bundle = motion::read_bundle(motion::shipped_bundle());
  return bundle;
}

const motion::BundledClip* captured_clip_named(const std::string& name) {
  if (!name.starts_with(motion::kCapturedPrefix)) return nullptr;
  return &motion::clip_in(captured_bundle(), name.substr(motion::kCapturedPrefix.size()));
}

void check_motion_name(const std::string& name) {
  if (motion_file_named(name) || captured_clip_named(name) || built_in_named(name)) return;
  std::string known;
  for (const motion::MotionKind& kind : motion::motion_kinds()) known += ", " + kind.name;
  throw std::runtime_error(
      "expected a motion: a .bvh, .glb, .gltf, .fbx or .dae file, a captured clip "
      "(captured:07_03; `billow motion list captured` names all)" +
      known + " with or without a seed (walk:7), found " + name);
}

motion::Clip motion_for(const std::string& name, const body::Skeleton& skeleton, const std::string& preset,
                        size_t frames, double frames_per_second, float scale) {
  if (std::optional<MotionFile> file = motion_file_named(name)) {
    file->scale = scale;
    const std::shared_ptr<const importer::Character> kept = read(*file);
    const importer::Character& character = *kept;
    const motion::Clip& clip = selected_clip(character, file->clip);
    return has_joints_of(character.skeleton, skeleton) ? transferred(character.skeleton, clip, skeleton)
                                                       : motion::retarget(character.skeleton, clip, skeleton);
  }
  check_motion_name(name);
  const body::Person person = body::make_person(body::person_preset(preset.empty() ? "average" : preset));
  motion::Clip clip;
  if (const motion::BundledClip* captured = captured_clip_named(name)) {
    clip = motion::on_person(*captured, person);
  } else {
    const auto [kind, seed] = *built_in_named(name);
    clip = motion::make_motion(
        person, {kind, seed, static_cast<double>(frames) / frames_per_second, frames_per_second, 0});
  }
  return preset.empty() ? motion::retarget(person.skeleton, clip, skeleton) : clip;
}

std::optional<MotionFile> motion_file_named(const std::string& name) {
  if (has_motion_extension(name)) return MotionFile{name, ""};
  const size_t colon = name.find_last_of(':');
  if (colon == std::string::npos || !has_motion_extension(name.substr(0, colon))) return std::nullopt;
  return MotionFile{name.substr(0, colon), name.substr(colon + 1)};
}

motion::Clip motion_on_person(const MotionFile& motion, const body::Person& person,
                              std::vector<std::string>* report) {
  const importer::Character character = *read(motion);
  motion::RetargetReport mapping;
  motion::Clip clip = motion::retarget(character.skeleton, selected_clip(character, motion.clip),
                                       person.skeleton, {}, &mapping);
  motion::separate_limbs(person, clip);
  if (report) {
    *report = character.notes;
    std::string kept;
    for (const std::string& joint : mapping.kept) kept += (kept.empty() ? "" : ", ") + joint;
    report->push_back(std::to_string(mapping.mapped.size()) + " joints follow the file's" +
                      (kept.empty() ? "" : "; these stay as at rest: " + kept));
  }
  return clip;
}

importer::Character motion_on_own_skin(const MotionFile& motion) {
  importer::Character character = *read(motion);
  if (character.skin.mesh.triangles.empty())
    throw std::runtime_error(motion.file.string() + " has no skin; show it on the built-in person");
  const motion::Clip clip = selected_clip(character, motion.clip);
  character.clips = {clip};
  return character;
}

std::string describe(const MotionFile& motion) {
  const importer::Character character = *read(motion);
  std::string out = character.name + ": " + std::to_string(character.skeleton.size()) + " joints, " +
                    std::to_string(character.skin.mesh.positions.size()) + " vertices, " +
                    std::to_string(character.clips.size()) + " clips\n";
  for (const motion::Clip& clip : character.clips) {
    char line[256];
    std::snprintf(line, sizeof line, "  %-32s %7.2f s  %6zu frames of 1/%g s%s\n", clip.name.c_str(),
                  static_cast<double>(clip.duration()), clip.frames.size(),
                  static_cast<double>(clip.frames_per_second), clip.loops ? ", loops" : "");
    out += line;
  }
  for (const std::string& note : character.notes) out += "  note: " + note + "\n";
  return out;
}

}  // namespace billow::tool
