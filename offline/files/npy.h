// Arrays of float32 in NumPy's .npy files (format version 1.0, little-endian, C order). The values can be
// memory-mapped as they lie in the file.
#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace billow::files {

struct NpyLayout {
  std::vector<size_t> shape;
  size_t start = 0, count = 0;  // byte offset of the values, and their number
};
// Parses the header. Throws std::runtime_error with what was expected and what was found, unless the bytes
// are exactly one array.
NpyLayout npy_layout(std::string_view bytes);

// All bytes before the values. `shape` is the last entry of the header's dictionary, as "(2, 3), ".
std::string npy_header(const std::string& shape);

// Writes an array of a known shape piece by piece, and keeps a checksum (FNV-1a, 64 bits) of all bytes
// written. `finish` throws std::runtime_error if values are missing or the file could not be written.
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
  size_t left_;  // values still to be written
  uint64_t checksum_;
};

// A memory-mapped file. The constructor throws std::runtime_error with the file's name, what was expected and
// what was found.
class NpyMap {
 public:
  explicit NpyMap(const std::filesystem::path& path);
  ~NpyMap();
  NpyMap(NpyMap&& other) noexcept;
  NpyMap& operator=(NpyMap&&) = delete;
  NpyMap(const NpyMap&) = delete;

  const std::vector<size_t>& shape() const { return shape_; }
  std::span<const float> values() const { return values_; }
  // The values of index `i` of the first dimension.
  std::span<const float> row(size_t i) const;
  uint64_t checksum() const;

 private:
  void* memory_ = nullptr;
  size_t bytes_ = 0;
  std::vector<size_t> shape_;
  std::span<const float> values_;
};

}  // namespace billow::files
