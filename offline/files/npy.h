// Arrays of float32 in NumPy's .npy files (format version 1.0, little-endian, C order): what every tool of the trade
// reads, and can be mapped into memory.
#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace billow::files {

// Where an array is in the bytes of a file.
struct NpyLayout {
  std::vector<size_t> shape;
  size_t start = 0, count = 0;  // byte that its values begin at, and how many there are
};
// Throws std::runtime_error with what was expected and what was found, unless the bytes are one whole array.
NpyLayout npy_layout(std::string_view bytes);

// What stands before the values. `shape`: the last entry of the header's dictionary, as "(2, 3), ".
std::string npy_header(const std::string& shape);

// Writes an array row after row. The shape is known from the start; `finish` throws std::runtime_error if it was not
// filled or could not be written. A checksum of all bytes (FNV-1a, 64 bits) is kept on the way.
class NpyWriter {
 public:
  NpyWriter(const std::filesystem::path& path, std::vector<size_t> shape);
  void write(std::span<const float> values);
  void finish();
  uint64_t checksum() const { return checksum_; }

 private:
  void write_bytes(const void* bytes, size_t count);
  std::filesystem::path path_;
  std::ofstream file_;
  size_t left_;  // values
  uint64_t checksum_;
};

// A file mapped into memory. Throws std::runtime_error that names the file, what was expected and what was found.
class NpyMap {
 public:
  explicit NpyMap(const std::filesystem::path& path);
  ~NpyMap();
  NpyMap(NpyMap&& other) noexcept;
  NpyMap& operator=(NpyMap&&) = delete;
  NpyMap(const NpyMap&) = delete;

  const std::vector<size_t>& shape() const { return shape_; }
  std::span<const float> values() const { return values_; }
  // The values of one entry of the first dimension.
  std::span<const float> row(size_t i) const;
  uint64_t checksum() const;

 private:
  void* memory_ = nullptr;
  size_t bytes_ = 0;
  std::vector<size_t> shape_;
  std::span<const float> values_;
};

}  // namespace billow::files
