// Motions from BVH files (Biovision; Meredith and Maddock, "Motion Capture File Formats Explained", 2001).
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "import/character.h"

namespace billow::importer {

// The CMU database's unit, in metres: skeletons are written in units of 1/0.45 inch.
inline constexpr float kCmuUnit = 0.0254f / 0.45f;

struct BvhOptions {
  float scale = 0;  // metres per unit of the file; 0: guessed by guess_unit
  // Converters of the CMU database put a T-pose before the motion. `guess` makes the first frame the rest
  // pose if most of its rotations are the identity and the motion then jumps; `rest` always does; `motion`
  // keeps it in the clip.
  enum class FirstFrame { guess, rest, motion } first_frame = FirstFrame::guess;
  enum class Up { guess, y, z } up = Up::guess;  // up axis of the file; `guess` compares head and hips
};

// Returns a skeleton with its end sites ("Head_end"), one clip and no skin. In the rest pose the root is
// above the origin and the lowest joint at y = 0. Position channels of joints below the root become offsets
// of the poses. Throws std::runtime_error such as "dance.bvh:12: expected a number, found 'abc'".
Character read_bvh(const std::filesystem::path& file, const BvhOptions& options = {});
// The same for text in memory; `name` is the file name in messages.
Character parse_bvh(std::string_view text, const std::string& name, const BvhOptions& options = {});

}  // namespace billow::importer
