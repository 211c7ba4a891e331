// NumPy's file format, version 1.0, as far as places need it:
// https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <stdexcept>

#include "garment/garment_file.h"
#include "garment/mesh_file.h"

namespace billow::garment {
namespace {

static_assert(std::endian::native == std::endian::little && sizeof(V3) == 12);

constexpr std::string_view kMagic{"\x93NUMPY\x01\x00", 8};
constexpr size_t kMostBytes = size_t{8} << 30;

// The text after a key of the header's dictionary.
std::string_view value_of(std::string_view header, std::string_view key) {
  const size_t at = header.find(key);
  if (at == std::string_view::npos)
    throw std::runtime_error("expected " + std::string(key) + " in the header");
  std::string_view rest = header.substr(at + key.size());
  while (!rest.empty() && (rest.front() == ' ' || rest.front() == ':')) rest.remove_prefix(1);
  return rest;
}

std::vector<size_t> shape_of(std::string_view header) {
  std::string_view text = value_of(header, "'shape'");
  if (text.empty() || text.front() != '(') throw std::runtime_error("expected a shape in the header");
  text = text.substr(1, text.find(')') - 1);
  std::vector<size_t> shape;
  while (!text.empty()) {
    if (text.front() == ' ' || text.front() == ',') {
      text.remove_prefix(1);
      continue;
    }
    size_t n = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), n);
    if (error != std::errc() || n > kMostBytes) throw std::runtime_error("expected a shape of whole numbers");
    text.remove_prefix(static_cast<size_t>(end - text.data()));
    shape.push_back(n);
  }
  return shape;
}

}  // namespace

std::string places_to_npy(std::span<const V3> places) {
  std::string header =
      "{'descr': '<f4', 'fortran_order': False, 'shape': (" + std::to_string(places.size()) + ", 3), }";
  // The data begin at a multiple of 64.
  while ((kMagic.size() + 2 + header.size() + 1) % 64 != 0) header += ' ';
  header += '\n';
  std::string out(kMagic);
  out += static_cast<char>(header.size() & 255);
  out += static_cast<char>(header.size() >> 8);
  out += header;
  out.append(reinterpret_cast<const char*>(places.data()), sizeof(V3) * places.size());
  return out;
}

NpyPlaces places_from_npy(std::string_view bytes) {
  if (bytes.size() < kMagic.size() + 2 || bytes.substr(0, kMagic.size()) != kMagic)
    throw std::runtime_error("expected a NumPy file of version 1.0");
  const size_t length = static_cast<size_t>(static_cast<unsigned char>(bytes[8])) +
                        256 * static_cast<size_t>(static_cast<unsigned char>(bytes[9]));
  if (bytes.size() < kMagic.size() + 2 + length)
    throw std::runtime_error("expected a header, found it cut off");
  const std::string_view header = bytes.substr(kMagic.size() + 2, length);
  const std::string_view data = bytes.substr(kMagic.size() + 2 + length);
  if (!value_of(header, "'descr'").starts_with("'<f4'"))
    throw std::runtime_error("expected float32, little-endian ('<f4')");
  if (!value_of(header, "'fortran_order'").starts_with("False")) throw std::runtime_error("expected C order");
  NpyPlaces out{shape_of(header), {}};
  if ((out.shape.size() != 2 && out.shape.size() != 3) || out.shape.back() != 3)
    throw std::runtime_error("expected the shape (n, 3) or (frames, n, 3)");
  size_t count = out.shape[0];
  if (out.shape.size() == 3)
    count = out.shape[1] > 0 && count > kMostBytes / out.shape[1] ? kMostBytes : count * out.shape[1];
  if (count > kMostBytes / sizeof(V3) || data.size() != sizeof(V3) * count)
    throw std::runtime_error("expected " + std::to_string(count) + " places of 12 bytes, found " +
                             std::to_string(data.size()) + " bytes");
  out.places.resize(count);
  if (count > 0) std::memcpy(out.places.data(), data.data(), data.size());
  for (size_t v = 0; v < count; ++v)
    if (const V3 p = out.places[v]; !std::isfinite(p.x) || !std::isfinite(p.y) || !std::isfinite(p.z))
      throw std::runtime_error("place " + std::to_string(v) + " is not finite");
  return out;
}

NpyPlaces read_npy_places(const std::filesystem::path& path) {
  const std::string bytes = read_whole_file(path, kMostBytes);
  try {
    return places_from_npy(bytes);
  } catch (const std::runtime_error& e) {
    throw std::runtime_error(path.string() + ": " + e.what());
  }
}

}  // namespace billow::garment
