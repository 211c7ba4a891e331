// The MakeHuman body: base mesh (.obj), skeleton (.mhskel) and weights (.mhw). Files are in decimetres.
#pragma once

#include <filesystem>

#include "import/character.h"

namespace billow::importer {

struct MakeHumanFiles {
  std::filesystem::path mesh, skeleton, weights;
};

// Keeps only the group `body` of the mesh; the others are helpers for joints and clothes. The body stands on
// y = 0 and its rest rotations are the identity. Throws std::runtime_error with the file's name and the
// position in it.
Character read_makehuman(const MakeHumanFiles& files);

}  // namespace billow::importer
