// Files for tests of the importers: the data that lies beside the project, and files written by tests.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

namespace billow {

// Motions, characters and bodies that are no part of the project: $BILLOW_SHARED_DATA, or shared/data beside it.
inline std::filesystem::path shared_data() {
  if (const char* given = std::getenv("BILLOW_SHARED_DATA")) return given;
  std::filesystem::path root = __FILE__;
  for (int k = 0; k < 4; ++k) root = root.parent_path();
  return root / "../shared/data";
}

#define BILLOW_NEEDS_SHARED_DATA()             \
  if (!std::filesystem::exists(shared_data())) \
  GTEST_SKIP() << "there is no " << shared_data() << "; set BILLOW_SHARED_DATA to where the data is"

// A file that is gone when the test is over.
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

// The message of what `work` throws, or what to expect.
template <class Work> std::string message_of(Work work) {
  try {
    work();
  } catch (const std::exception& e) {
    return e.what();
  }
  return "(nothing was thrown)";
}

}  // namespace billow
