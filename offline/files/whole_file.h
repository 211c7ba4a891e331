// Whole-file reads, atomic writes, and floats as text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

namespace billow::files {

// Replaces a file atomically: bytes go to `path`.part, which commit() renames to `path`. A reader never sees
// a partly written file. All methods throw std::runtime_error with the path and the reason.
class AtomicFile {
 public:
  explicit AtomicFile(std::filesystem::path path);
  ~AtomicFile();  // without commit(), removes the temporary file
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  void write(std::string_view bytes);
  void close();   // optional: frees the file descriptor before a later commit()
  void commit();  // closes, then replaces `path`

 private:
  [[noreturn]] void fail(const std::string& reason) const;

  std::filesystem::path path_, temporary_;
  std::ofstream file_;
  bool committed_ = false;
};

// Writes a file atomically. Throws std::runtime_error.
void write_whole_file(const std::filesystem::path& file, std::string_view bytes);
// Throws std::runtime_error if the file cannot be read or is larger than `max_bytes`.
std::string read_whole_file(const std::filesystem::path& file, size_t max_bytes = SIZE_MAX);

// The shortest text that parses to the same float. Negative zero is "-0.0".
std::string shortest(float value);

}  // namespace billow::files
