// Motions by their names, those of files above all: "dance.bvh", "robot.glb:Running", on the built-in person or on the
// file's own character.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "body/person.h"
#include "import/character.h"
#include "motion/clip.h"

namespace billow::tool {

struct MotionFile {
  std::filesystem::path file;
  std::string clip;                         // empty: the only one
  float scale = 0;                          // metres a unit of the file; 0: what the file says, or a guess
  std::vector<std::string> leave_out = {};  // meshes that are not wanted
};

// Takes "robot.glb:Running" apart. None if the name does not end, or its part before a colon, as a file does that
// can be read.
std::optional<MotionFile> motion_file_named(const std::string& name);

// The clip on the built-in person. `report` gets sentences about how.
motion::Clip motion_on_person(const MotionFile& motion, const body::Person& person,
                              std::vector<std::string>* report = nullptr);

// Throws std::runtime_error unless it is a file's name or a built-in motion's, with or without a seed: walk, walk:7.
void check_motion_name(const std::string& name);
// Either of them on any skeleton; `preset` says which built-in person that is, and is empty for others. A file that has
// all of the skeleton's joints, resting where they do, is taken as it is; other motions are retargeted. A built-in one has
// that many frames at that many a second, a file its own. `scale`: metres a unit of files.
motion::Clip motion_for(const std::string& name, const body::Skeleton& skeleton, const std::string& preset,
                        size_t frames, double frames_per_second, float scale);

// The file's own character with that clip only. Throws std::runtime_error where the file has no skin.
importer::Character motion_on_own_skin(const MotionFile& motion);

// What is in the file: a table of its clips, joints, vertices and notes.
std::string describe(const MotionFile& motion);

}  // namespace billow::tool
