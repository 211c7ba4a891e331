#include "files/part_file.h"

#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <system_error>

namespace billow::files {

PartFile::PartFile(std::filesystem::path path) : path_(std::move(path)), beside_(path_) {
  beside_ += ".part";
  std::error_code error;
  if (std::filesystem::is_directory(path_, error)) refuse("there is a folder of that name");
  file_.open(beside_, std::ios::binary);
  if (!file_) refuse(std::strerror(errno));
}

PartFile::~PartFile() {
  if (in_place_) return;
  file_.close();
  std::error_code ignored;
  std::filesystem::remove(beside_, ignored);
}

void PartFile::refuse(const std::string& reason) const {
  throw std::runtime_error("cannot write " + path_.string() + ": " + reason);
}

void PartFile::write(std::string_view bytes) {
  if (!file_.write(bytes.data(), static_cast<std::streamsize>(bytes.size()))) refuse(std::strerror(errno));
}

void PartFile::close() {
  if (!file_.is_open()) return;
  file_.close();
  if (!file_) refuse(std::strerror(errno));
}

void PartFile::take_place() {
  close();
  std::error_code error;
  std::filesystem::rename(beside_, path_, error);
  if (error) refuse(error.message());
  in_place_ = true;
}

}  // namespace billow::files
