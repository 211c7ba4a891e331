// Output folders.
#pragma once

#include <filesystem>
#include <stdexcept>
#include <string>
#include <system_error>

namespace billow::tool {

// Creates a folder and its parents. Throws std::runtime_error with the path and the reason.
inline std::filesystem::path make_folder(const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error || !std::filesystem::is_directory(folder))
    throw std::runtime_error("cannot make the folder " + folder.string() + ": " +
                             (error ? error.message() : "there is a file of that name"));
  return folder;
}

}  // namespace billow::tool
