// Reads a character from a file: skeleton, skin and clips. Files are untrusted: reading returns a valid
// character or throws with what was expected, what was found and where.
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
  body::Skin skin;  // may have holes and several components; no vertices if the file has no mesh
  std::vector<motion::Clip> clips;
  std::vector<std::string> notes;  // warnings about content that was dropped
};

struct CharacterOptions {
  // Metres per unit of the file. 0: the file's own unit (glTF: metres; FBX and Collada: as stored; BVH:
  // guessed).
  float scale = 0;
  float frames_per_second = 0;              // of clips; 0: the rate of their keys
  std::vector<std::string> leave_out = {};  // nodes whose meshes are skipped, such as weapons
  std::vector<std::string> only = {};       // nodes whose meshes alone are read, such as a cape; empty: all
};

// Reads .bvh, .glb, .gltf, .fbx or .dae. Throws std::runtime_error with the file's name. Vertices with equal
// positions and weights are welded, because exporters split them where normals or UVs differ.
Character read_character(const std::filesystem::path& file, const CharacterOptions& options = {});

// The clip of that name. Throws std::invalid_argument with a list of the clips.
const motion::Clip& clip_named(const Character& character, std::string_view name);

// Limits: larger files are rejected as broken or malicious.
inline constexpr size_t kMaxBytes = size_t{512} << 20;
inline constexpr size_t kMaxJoints = 4096;
inline constexpr size_t kMaxVertices = 4'000'000;
inline constexpr size_t kMaxFrames = 500'000;          // of all clips: more than an hour at 120 Hz
inline constexpr size_t kMaxPosedJoints = 20'000'000;  // frames times joints, of all clips

// The file's bytes. Throws std::runtime_error if it cannot be read or is larger than kMaxBytes.
std::string read_bytes(const std::filesystem::path& file);

// Throws std::runtime_error unless skeleton, skin and clips are valid and consistent, and the rest pose is
// between 5 cm and 100 m large.
void validate(const Character& character);

// Guesses the unit of a human's skeleton in metres: of metre, foot, CMU unit, inch, centimetre and
// millimetre, the one that makes its height closest to 1.7 m. Height is estimated from the leg length, which
// does not depend on the rest pose, or without legs from the rest pose. Throws std::runtime_error if no unit
// gives 1.1 to 2.6 m.
float guess_unit(const body::Skeleton& skeleton);

// The largest side of the bounding box of all joints in the rest pose.
float extent(const body::Skeleton& skeleton);

// Reads a .glb or .gltf in memory. External buffers are read from `folder`, by plain file names only. Throws
// std::runtime_error that starts with `name`.
Character parse_gltf(std::string_view bytes, const std::string& name, const CharacterOptions& options = {},
                     const std::filesystem::path& folder = {});

}  // namespace billow::importer
