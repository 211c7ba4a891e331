// Physical settings of rope chains as JSON, with the names of billow.h.
#pragma once

#include <billow/billow.h>

#include <filesystem>
#include <string>

namespace billow::ropes {

std::string settings_text(const billow_settings& settings);

// Changes the settings that the file contains. Throws std::runtime_error with the file, the setting, what was expected and
// what was found.
void read_settings_file(const std::filesystem::path& file, billow_settings& settings);

}  // namespace billow::ropes
