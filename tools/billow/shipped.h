// Finds the garment files that ship with Billow by name.
#pragma once

#include <filesystem>
#include <string>

namespace billow::tool {

// Path of a shipped garment in the installation or, failing that, in the source tree of the build; empty if not found.
std::filesystem::path shipped_garment(const std::string& name);

// Resolves a garment argument: "cape" and "skirt" mean the shipped garments unless a file of that name exists; any other
// path is returned unchanged. Throws std::runtime_error if the shipped garment is not found.
std::string garment_file(const std::string& given);

// Help text of arguments that are resolved by garment_file().
inline constexpr const char* kGarmentFileHelp =
    "Garment file (.billow), or `cape` or `skirt` for those that come with Billow";

}  // namespace billow::tool
