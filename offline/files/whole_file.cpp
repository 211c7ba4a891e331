#include "files/whole_file.h"

#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstring>
#include <fstream>
#include <stdexcept>
#include <system_error>

#include "files/part_file.h"

namespace billow::files {

void write_whole_file(const std::filesystem::path& file, std::string_view bytes) {
  PartFile part(file);
  part.write(bytes);
  part.take_place();
}

std::string read_whole_file(const std::filesystem::path& file, size_t most) {
  std::ifstream in(file, std::ios::binary);
  std::error_code error;
  const auto size = in ? std::filesystem::file_size(file, error) : 0;
  if (!in || error)
    throw std::runtime_error("cannot read " + file.string() + ": " +
                             (error ? error.message() : std::strerror(errno)));
  if (size > most)
    throw std::runtime_error(file.string() + ": expected at most " + std::to_string(most) + " bytes, found " +
                             std::to_string(size));
  std::string bytes(static_cast<size_t>(size), '\0');
  in.read(bytes.data(), static_cast<std::streamsize>(size));
  if (static_cast<size_t>(in.gcount()) != bytes.size())
    throw std::runtime_error("cannot read " + file.string() + " to its end");
  return bytes;
}

std::string shortest(float number) {
  if (number == 0 && std::signbit(number)) return "-0.0";  // JSON would read "-0" as the integer 0
  char text[32];
  const auto [end, error] = std::to_chars(text, text + sizeof text, number);
  return {text, end};
}

}  // namespace billow::files
