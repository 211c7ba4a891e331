#include "files/npy.h"

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

#include "files/checksum.h"

static_assert(std::endian::native == std::endian::little,
              "files are little-endian and read without conversion");

namespace billow::files {
namespace {

constexpr std::string_view kMagic{"\x93NUMPY\x01\x00", 8};  // includes the version
constexpr size_t kPreamble = kMagic.size() + 2, kMaxValues = size_t{1} << 50;

[[noreturn]] void fail(const std::filesystem::path& path, const std::string& message) {
  throw std::runtime_error(path.string() + ": " + message);
}

// The text of a key's value in the header's dictionary: up to the next comma outside brackets.
std::string entry(const std::string& header, const std::string& key) {
  const size_t at = header.find("'" + key + "':");
  if (at == std::string::npos) return "";
  size_t begin = at + key.size() + 3, end = begin;
  for (int depth = 0; end < header.size() && (depth > 0 || (header[end] != ',' && header[end] != '}')); ++end)
    depth += header[end] == '(' ? 1 : header[end] == ')' ? -1 : 0;
  while (begin < end && header[begin] == ' ') ++begin;
  return header.substr(begin, end - begin);
}

std::vector<size_t> read_shape(const std::string& text) {
  std::vector<size_t> shape;
  for (size_t i = 0; i < text.size();) {
    if (!std::isdigit(static_cast<unsigned char>(text[i]))) {
      ++i;
      continue;
    }
    size_t digits = 0;
    shape.push_back(std::stoull(text.substr(i, 18), &digits));
    i += digits;
  }
  return shape;
}

}  // namespace

NpyLayout npy_layout(std::string_view bytes) {
  const auto reject = [](const std::string& message) { throw std::runtime_error(message); };
  if (bytes.empty()) reject("expected an array, found 0 bytes");
  if (!bytes.starts_with(kMagic) || bytes.size() < kPreamble) reject("expected a .npy file of version 1.0");
  uint16_t size = 0;
  std::memcpy(&size, bytes.data() + kMagic.size(), 2);
  if (bytes.size() - kPreamble < size) reject("expected a header, found it cut off");
  const std::string header(bytes.substr(kPreamble, size));
  if (entry(header, "descr") != "'<f4'")
    reject("expected float32, little-endian ('<f4'), found " + entry(header, "descr"));
  if (entry(header, "fortran_order") != "False") reject("expected C order");
  const std::string shape = entry(header, "shape");
  NpyLayout out{read_shape(shape), kPreamble + size, 1};
  for (const size_t n : out.shape) {
    if (n != 0 && out.count > kMaxValues / n) reject("its shape is too large: " + shape);
    out.count *= n;
  }
  const size_t left = bytes.size() - out.start;
  if (out.shape.empty() || left != 4 * out.count)
    reject("expected " + shape + " values of 4 bytes, found " + std::to_string(left) + " bytes");
  return out;
}

std::string npy_header(const std::string& shape) {
  std::string text = "{'descr': '<f4', 'fortran_order': False, 'shape': " + shape + "}";
  // Values start at a multiple of 64 bytes.
  text.append(63 - (kPreamble + text.size()) % 64, ' ');
  text += '\n';
  const auto size = static_cast<uint16_t>(text.size());
  return std::string(kMagic) + std::string(reinterpret_cast<const char*>(&size), 2) + text;
}

NpyWriter::NpyWriter(const std::filesystem::path& path, std::vector<size_t> shape)
    : path_(path), file_(path, std::ios::binary), left_(1), checksum_(kChecksumStart) {
  for (const size_t n : shape) left_ *= n;
  std::string entries;
  for (const size_t n : shape) entries += std::to_string(n) + ", ";
  const std::string header = npy_header("(" + entries + ")");
  write_bytes(header.data(), header.size());
}

void NpyWriter::write_bytes(const void* bytes, size_t count) {
  file_.write(static_cast<const char*>(bytes), static_cast<std::streamsize>(count));
  checksum_ = add_to_checksum(checksum_, bytes, count);
}

void NpyWriter::write(std::span<const float> values) {
  if (values.size() > left_) fail(path_, "more values than its shape holds");
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
    const std::string reason = std::strerror(errno);
    if (file >= 0) close(file);
    fail(path, "cannot read: " + reason);
  }
  bytes_ = static_cast<size_t>(status.st_size);
  memory_ = bytes_ > 0 ? mmap(nullptr, bytes_, PROT_READ, MAP_PRIVATE, file, 0) : nullptr;
  const int error = errno;
  close(file);
  if (memory_ == MAP_FAILED) fail(path, std::string("cannot read: ") + std::strerror(error));
  const char* bytes = static_cast<const char*>(memory_);
  try {
    NpyLayout layout = npy_layout({bytes, bytes_});
    if (layout.start % 4 != 0) throw std::runtime_error("expected values at a multiple of 4 bytes");
    values_ = {reinterpret_cast<const float*>(bytes + layout.start), layout.count};
    shape_ = std::move(layout.shape);
  } catch (const std::runtime_error& e) {
    if (memory_) munmap(memory_, bytes_);
    fail(path, e.what());
  }
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

}  // namespace billow::files
