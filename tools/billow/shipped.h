// The garments that come with Billow, by their names.
#pragma once

#include <filesystem>
#include <string>

namespace billow::tool {

// Where it was installed to, or in the tree that the program was built in; empty where there is none.
std::filesystem::path shipped_garment(const std::string& name);

// A file as it was given; "cape" and "skirt", where there is no such file, are those that come with Billow. Throws std::runtime_error
// where these were not found.
std::string garment_file(const std::string& given);

// What commands say of an argument that goes through garment_file().
inline constexpr const char* kGarmentFileHelp =
    "Garment file (.billow), or `cape` or `skirt` for those that come with Billow";

}  // namespace billow::tool
