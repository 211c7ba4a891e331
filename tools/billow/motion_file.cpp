#include "motion_file.h"

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <stdexcept>

#include "motion/retarget.h"

namespace billow::tool {
namespace {

bool is_readable_kind(const std::string& file) {
  std::string kind = std::filesystem::path(file).extension().string();
  std::transform(kind.begin(), kind.end(), kind.begin(), [](unsigned char c) { return std::tolower(c); });
  return kind == ".bvh" || kind == ".glb" || kind == ".gltf" || kind == ".fbx" || kind == ".dae";
}

importer::Character read(const MotionFile& motion) {
  return importer::read_character(motion.file, {.scale = motion.scale, .leave_out = motion.leave_out});
}

const motion::Clip& chosen(const importer::Character& character, const std::string& name) {
  if (!name.empty() || character.clips.size() != 1) {
    if (name.empty() && !character.clips.empty())
      throw std::invalid_argument(character.name + " has " + std::to_string(character.clips.size()) +
                                  " clips: say which, as in " + character.name +
                                  ".glb:" + character.clips[0].name);
    return importer::clip_named(character, name);
  }
  return character.clips[0];
}

}  // namespace

std::optional<MotionFile> motion_file_named(const std::string& name) {
  if (is_readable_kind(name)) return MotionFile{name, ""};
  const size_t colon = name.find_last_of(':');
  if (colon == std::string::npos || !is_readable_kind(name.substr(0, colon))) return std::nullopt;
  return MotionFile{name.substr(0, colon), name.substr(colon + 1)};
}

motion::Clip motion_on_person(const MotionFile& motion, const body::Person& person,
                              std::vector<std::string>* report) {
  const importer::Character character = read(motion);
  motion::RetargetReport mapping;
  motion::Clip clip =
      motion::retarget(character.skeleton, chosen(character, motion.clip), person.skeleton, {}, &mapping);
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
  importer::Character character = read(motion);
  if (character.skin.mesh.triangles.empty())
    throw std::runtime_error(motion.file.string() + " has no skin; show it on the built-in person");
  const motion::Clip clip = chosen(character, motion.clip);
  character.clips = {clip};
  return character;
}

std::string describe(const MotionFile& motion) {
  const importer::Character character = read(motion);
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
