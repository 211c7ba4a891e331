#include "dataset/npy.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <bit>
#include <cctype>
#include <cstring>
#include <stdexcept>
#include <string>
#include <utility>

#include "dataset/checksum.h"

static_assert(std::endian::native == std::endian::little, "files are little-endian and read as they are");

namespace billow::dataset {
namespace {

constexpr char kMagic[] = "\x93NUMPY\x01\x00";  // with the version
constexpr size_t kMagicSize = 8, kPreamble = kMagicSize + 2;

[[noreturn]] void fail(const std::filesystem::path& path, const std::string& message) {
  throw std::runtime_error(path.string() + ": " + message);
}

std::string header_of(const std::vector<size_t>& shape) {
  std::string text = "{'descr': '<f4', 'fortran_order': False, 'shape': (";
  for (const size_t n : shape) text += std::to_string(n) + ", ";
  text += ")}";
  // Values start at a multiple of 64 bytes.
  text.append(63 - (kPreamble + text.size()) % 64, ' ');
  return text + '\n';
}

// What stands behind a key, up to the next comma outside brackets.
std::string entry(const std::string& header, const std::string& key) {
  const size_t at = header.find("'" + key + "':");
  if (at == std::string::npos) return "";
  size_t begin = at + key.size() + 3, end = begin;
  for (int depth = 0; end < header.size() && (depth > 0 || (header[end] != ',' && header[end] != '}')); ++end)
    depth += header[end] == '(' ? 1 : header[end] == ')' ? -1 : 0;
  while (begin < end && header[begin] == ' ') ++begin;
  return header.substr(begin, end - begin);
}

}  // namespace

NpyWriter::NpyWriter(const std::filesystem::path& path, std::vector<size_t> shape)
    : path_(path), file_(path, std::ios::binary), left_(1), checksum_(kChecksumStart) {
  for (const size_t n : shape) left_ *= n;
  const std::string header = header_of(shape);
  const auto size = static_cast<uint16_t>(header.size());
  write_bytes(kMagic, kMagicSize);
  write_bytes(&size, 2);
  write_bytes(header.data(), header.size());
}

void NpyWriter::write_bytes(const void* bytes, size_t count) {
  file_.write(static_cast<const char*>(bytes), static_cast<std::streamsize>(count));
  checksum_ = add_to_checksum(checksum_, bytes, count);
}

void NpyWriter::write(std::span<const float> values) {
  if (values.size() > left_) fail(path_, "more values than its shape has");
  left_ -= values.size();
  write_bytes(values.data(), values.size_bytes());
}

void NpyWriter::finish() {
  if (left_ > 0) fail(path_, std::to_string(left_) + " values are missing");
  file_.close();
  if (!file_) fail(path_, std::string("cannot write: ") + std::strerror(errno));
}

NpyMap::NpyMap(const std::filesystem::path& path) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  struct stat status {};
  if (file < 0 || fstat(file, &status) != 0) {
    const std::string why = std::strerror(errno);
    if (file >= 0) close(file);
    fail(path, "cannot read: " + why);
  }
  bytes_ = static_cast<size_t>(status.st_size);
  memory_ = bytes_ > 0 ? mmap(nullptr, bytes_, PROT_READ, MAP_PRIVATE, file, 0) : MAP_FAILED;
  close(file);
  if (memory_ == MAP_FAILED) {
    memory_ = nullptr;
    fail(path, "expected an array, found " + std::to_string(bytes_) + " bytes");
  }
  const auto refuse = [&](const std::string& message) {
    munmap(memory_, bytes_);
    memory_ = nullptr;
    fail(path, message);
  };
  const char* text = static_cast<const char*>(memory_);
  uint16_t size = 0;
  if (bytes_ < kPreamble || std::memcmp(text, kMagic, kMagicSize) != 0)
    refuse("expected a .npy file of version 1.0");
  std::memcpy(&size, text + kMagicSize, 2);
  if (bytes_ - kPreamble < size) refuse("its header is cut off");
  const std::string header(text + kPreamble, size);
  if (entry(header, "descr") != "'<f4'")
    refuse("expected values '<f4' (float32), found " + entry(header, "descr"));
  if (entry(header, "fortran_order") != "False") refuse("expected C order");
  const std::string shape = entry(header, "shape");
  size_t count = 1;
  for (size_t i = 0; i < shape.size();) {
    if (!std::isdigit(static_cast<unsigned char>(shape[i]))) {
      ++i;
      continue;
    }
    size_t digits = 0;
    const std::string rest = shape.substr(i, 18);
    shape_.push_back(std::stoull(rest, &digits));
    i += digits;
    if (shape_.back() != 0 && count > (size_t{1} << 50) / shape_.back())
      refuse("its shape is too large: " + shape);
    count *= shape_.back();
  }
  if (shape_.empty() || (kPreamble + size) % 4 != 0 || (bytes_ - kPreamble - size) != 4 * count)
    refuse("expected " + shape + " values, found " + std::to_string((bytes_ - kPreamble - size) / 4));
  values_ = {reinterpret_cast<const float*>(text + kPreamble + size), count};
}

NpyMap::NpyMap(NpyMap&& other) noexcept
    : memory_(std::exchange(other.memory_, nullptr)),
      bytes_(other.bytes_),
      shape_(std::move(other.shape_)),
      values_(std::exchange(other.values_, {})) {}

NpyMap::~NpyMap() {
  if (memory_) munmap(memory_, bytes_);
}

std::span<const float> NpyMap::row(size_t i) const {
  const size_t size = shape_[0] > 0 ? values_.size() / shape_[0] : 0;
  return values_.subspan(i * size, size);
}

uint64_t NpyMap::checksum() const { return add_to_checksum(kChecksumStart, memory_, bytes_); }

}  // namespace billow::dataset
