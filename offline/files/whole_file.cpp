#include "files/whole_file.h"

#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstring>
#include <stdexcept>
#include <system_error>

namespace billow::files {

AtomicFile::AtomicFile(std::filesystem::path path) : path_(std::move(path)), temporary_(path_) {
  temporary_ += ".part";
  std::error_code error;
  if (std::filesystem::is_directory(path_, error)) fail("a folder of that name exists");
  file_.open(temporary_, std::ios::binary);
  if (!file_) fail(std::strerror(errno));
}

AtomicFile::~AtomicFile() {
  if (committed_) return;
  file_.close();
  std::error_code ignored;
  std::filesystem::remove(temporary_, ignored);
}

void AtomicFile::fail(const std::string& reason) const {
  throw std::runtime_error("cannot write " + path_.string() + ": " + reason);
}

void AtomicFile::write(std::string_view bytes) {
  if (!file_.write(bytes.data(), static_cast<std::streamsize>(bytes.size()))) fail(std::strerror(errno));
}

void AtomicFile::close() {
  if (!file_.is_open()) return;
  file_.close();
  if (!file_) fail(std::strerror(errno));
}

void AtomicFile::commit() {
  close();
  std::error_code error;
  std::filesystem::rename(temporary_, path_, error);
  if (error) fail(error.message());
  committed_ = true;
}

void write_whole_file(const std::filesystem::path& file, std::string_view bytes) {
  AtomicFile out(file);
  out.write(bytes);
  out.commit();
}

std::string read_whole_file(const std::filesystem::path& file, size_t max_bytes) {
  std::ifstream in(file, std::ios::binary);
  std::error_code error;
  const auto size = in ? std::filesystem::file_size(file, error) : 0;
  if (!in || error)
    throw std::runtime_error("cannot read " + file.string() + ": " +
                             (error ? error.message() : std::strerror(errno)));
  if (size > max_bytes)
    throw std::runtime_error(file.string() + ": expected at most " + std::to_string(max_bytes) +
                             " bytes, found " + std::to_string(size));
  std::string bytes(static_cast<size_t>(size), '\0');
  in.read(bytes.data(), static_cast<std::streamsize>(size));
  if (static_cast<size_t>(in.gcount()) != bytes.size())
    throw std::runtime_error("cannot read " + file.string() + " to its end");
  return bytes;
}

std::string shortest(float value) {
  if (value == 0 && std::signbit(value)) return "-0.0";  // JSON parses "-0" as the integer 0
  char text[32];
  const auto [end, error] = std::to_chars(text, text + sizeof text, value);
  return {text, end};
}

}  // namespace billow::files
