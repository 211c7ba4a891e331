// Readers of scenes, one a kind of file.
#pragma once

#include <filesystem>
#include <string_view>

#include "import/scene.h"

namespace billow::importer {

// glTF 2.0, in text or binary. Read here and not by Assimp, which finds nodes by names that need not differ,
// and takes for granted much of what is checked here.
Scene read_gltf(std::string_view bytes, const std::filesystem::path& folder);

// FBX and Collada, by Assimp.
Scene read_by_assimp(const std::filesystem::path& file);

}  // namespace billow::importer
