// The physical settings of rope chains as JSON, under the names of billow.h: what a fit writes and a measurement reads.
#pragma once

#include <billow/billow.h>

#include <filesystem>
#include <string>

namespace billow::ropes {

std::string settings_text(const billow_settings& settings);

// Changes those settings that the file names. Throws std::runtime_error with the file, the setting, what was expected and
// what was found.
void read_settings_file(const std::filesystem::path& file, billow_settings& settings);

}  // namespace billow::ropes
