// Files read and written as a whole, and numbers as text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace billow::files {

// Writes beside the file, which is then replaced: a reader never meets half of it. Throws std::runtime_error.
void write_whole_file(const std::filesystem::path& file, std::string_view bytes);
// Throws std::runtime_error where it cannot be read or is larger than `most` bytes.
std::string read_whole_file(const std::filesystem::path& file, size_t most = SIZE_MAX);

// The shortest text that reads back as the same float; "-0.0" for the negative zero.
std::string shortest(float number);

}  // namespace billow::files
