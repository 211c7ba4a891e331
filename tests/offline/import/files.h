// Files for tests of the importers: the shared data outside the project, and temporary files.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

namespace billow {

// Motions, characters and bodies that are not part of the project: $BILLOW_SHARED_DATA, or shared/data next
// to it.
inline std::filesystem::path shared_data() {
  if (const char* given = std::getenv("BILLOW_SHARED_DATA")) return given;
  std::filesystem::path root = __FILE__;
  for (int k = 0; k < 4; ++k) root = root.parent_path();
  return root / "../shared/data";
}

#define BILLOW_NEEDS_SHARED_DATA()             \
  if (!std::filesystem::exists(shared_data())) \
  GTEST_SKIP() << "there is no " << shared_data() << "; set BILLOW_SHARED_DATA to where the data is"

// A file that is removed at the end of the test.
class TemporaryFile {
 public:
  TemporaryFile(const std::string& name, std::string_view bytes) {
    static int count = 0;
    folder_ = std::filesystem::temp_directory_path() /
              ("billow_import_" + std::to_string(getpid()) + "_" + std::to_string(count++));
    std::filesystem::create_directories(folder_);
    path_ = folder_ / name;
    std::ofstream(path_, std::ios::binary) << bytes;
  }
  ~TemporaryFile() {
    std::error_code error;
    std::filesystem::remove_all(folder_, error);
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path folder_, path_;
};

// The message of the exception that `work` throws, or "(nothing was thrown)".
template <class Work> std::string message_of(Work work) {
  try {
    work();
  } catch (const std::exception& e) {
    return e.what();
  }
  return "(nothing was thrown)";
}

}  // namespace billow
