// Looks up motions by name, on the built-in person or on a file's own character. A name is a motion file ("dance.bvh",
// "robot.glb:Running"), a captured clip that ships with Billow ("captured:07_03") or a built-in motion.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "body/person.h"
#include "import/character.h"
#include "motion/bundle.h"
#include "motion/clip.h"

namespace billow::tool {

struct MotionFile {
  std::filesystem::path file;
  std::string clip;                         // empty: the file's only clip
  float scale = 0;                          // metres per unit of the file; 0: the file's own, or a guess
  std::vector<std::string> leave_out = {};  // names of meshes to skip
};

// Splits "robot.glb:Running" into file and clip. Empty unless the name, or its part before the last colon, has the
// extension of a supported format.
std::optional<MotionFile> motion_file_named(const std::string& name);

// The clip retargeted to the built-in person. `report` receives the importer's notes and the joint mapping.
motion::Clip motion_on_person(const MotionFile& motion, const body::Person& person,
                              std::vector<std::string>* report = nullptr);

// What stands for all captured clips where folders of motions are named.
inline constexpr const char* kCapturedName = "captured";
// What stands for built-in motions alone.
inline constexpr const char* kBuiltInName = "built-in";
// The captured clips that ship with Billow, read once. Throws std::runtime_error if they are not found.
const motion::MotionBundle& captured_bundle();
// The captured clip of a name "captured:07_03"; NULL for names of other motions. Throws std::invalid_argument for a clip
// that does not exist.
const motion::BundledClip* captured_clip_named(const std::string& name);

// Throws unless the name is a motion file, a captured clip or a built-in motion, with or without a seed: walk, walk:7.
void check_motion_name(const std::string& name);
// Any such motion on any skeleton. `preset` names the built-in person that the skeleton belongs to, and
// is empty for other characters. A file whose skeleton has all of the joints, at the same rest positions, is used without
// retargeting. `frames` and `frames_per_second` apply to built-in motions; others keep their own. `scale`: metres per unit
// of a file.
motion::Clip motion_for(const std::string& name, const body::Skeleton& skeleton, const std::string& preset,
                        size_t frames, double frames_per_second, float scale);

// The file's own character with the selected clip only. Throws std::runtime_error where the file has no skin.
importer::Character motion_on_own_skin(const MotionFile& motion);

// A table of the file's clips, joints, vertices and notes.
std::string describe(const MotionFile& motion);

}  // namespace billow::tool
