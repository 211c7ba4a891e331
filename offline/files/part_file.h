// A file in the making: written beside its place, and renamed to it once it is whole.
#pragma once

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

namespace billow::files {

class PartFile {
 public:
  explicit PartFile(std::filesystem::path path);
  ~PartFile();  // without take_place, removes what was written
  PartFile(const PartFile&) = delete;
  PartFile& operator=(const PartFile&) = delete;

  void write(std::string_view bytes);
  void close();       // no more is written; take_place may wait
  void take_place();  // replaces what was there

 private:
  [[noreturn]] void refuse(const std::string& reason) const;

  std::filesystem::path path_, beside_;
  std::ofstream file_;
  bool in_place_ = false;
};

}  // namespace billow::files
