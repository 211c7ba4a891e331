// A character from a file: skeleton, skin and clips. Files come from anywhere: whatever is in them, reading
// ends with a character or with a message that says what was expected, what was found and where.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "body/skin.h"
#include "motion/clip.h"

namespace billow::importer {

struct Character {
  std::string name;
  body::Skeleton skeleton;
  body::Skin skin;  // may be open, may be in several pieces; no vertices where the file has no mesh
  std::vector<motion::Clip> clips;
  std::vector<std::string> notes;  // what of the file could not be kept, in sentences
};

struct CharacterOptions {
  // Metres a unit of the file. 0: what the file says (glTF: metres; FBX and Collada: their unit), for BVH a
  // guess.
  float scale = 0;
  float frames_per_second = 0;              // of clips; 0: that of their keys
  std::vector<std::string> leave_out = {};  // nodes whose meshes are not wanted, such as weapons
};

// Reads .bvh, .glb, .gltf, .fbx or .dae. Throws std::runtime_error with the file's name. Vertices of the same
// place and weights are one: faces with edges of their own then still are one surface.
Character read_character(const std::filesystem::path& file, const CharacterOptions& options = {});

// The clip of that name. Throws std::invalid_argument with the names there are.
const motion::Clip& clip_named(const Character& character, std::string_view name);

// What no file may exceed: beyond this it is broken or meant to do harm.
inline constexpr size_t kMaxBytes = size_t{512} << 20;
inline constexpr size_t kMaxJoints = 4096;
inline constexpr size_t kMaxVertices = 4'000'000;
inline constexpr size_t kMaxFrames = 500'000;          // of all clips: more than an hour at 120 Hz
inline constexpr size_t kMaxPosedJoints = 20'000'000;  // frames times joints, of all clips

// The file's bytes. Throws std::runtime_error where it cannot be read or is larger than kMaxBytes.
std::string read_bytes(const std::filesystem::path& file);

// Throws std::runtime_error unless skeleton, skin and clips are valid and fit each other, and the rest pose is
// from 5 cm to 100 m large.
void validate(const Character& character);

}  // namespace billow::importer
