// Characters from glTF 2.0 files in memory; read_character reads them from disk.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "import/character.h"

namespace billow::importer {

// A .glb or a .gltf. Buffers outside it are read from `folder`, by plain names only. Throws std::runtime_error
// that starts with the name.
Character parse_gltf(std::string_view bytes, const std::string& name, const CharacterOptions& options = {},
                     const std::filesystem::path& folder = {});

}  // namespace billow::importer
