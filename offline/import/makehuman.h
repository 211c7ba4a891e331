// The MakeHuman body: base mesh (.obj), skeleton (.mhskel) and weights (.mhw). Files are in decimetres.
#pragma once

#include <filesystem>

#include "import/character.h"

namespace billow::importer {

struct MakeHumanFiles {
  std::filesystem::path mesh, skeleton, weights;
};

// Only the group `body` of the mesh is kept; the others help to place joints and clothes. The body stands on
// y = 0 and its joints are unturned. Throws std::runtime_error with the file's name and the place in it.
Character read_makehuman(const MakeHumanFiles& files);

}  // namespace billow::importer
