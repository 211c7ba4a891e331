#include "import/gltf_file.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <stdexcept>

#include "import/character.h"

namespace billow::importer {
namespace {

constexpr size_t kMaxJson = size_t{64} << 20;
constexpr size_t kMaxValues = 40'000'000;

[[noreturn]] void refuse(const std::string& message) { throw std::runtime_error(message); }

uint32_t little_endian(std::string_view bytes, size_t at) {
  uint32_t value = 0;
  for (size_t k = 4; k-- > 0;) value = value << 8 | static_cast<unsigned char>(bytes[at + k]);
  return value;
}

std::string decode_base64(std::string_view text, const std::string& where) {
  std::string out;
  uint32_t bits = 0;
  int held = 0;
  while (!text.empty() && text.back() == '=') text.remove_suffix(1);
  for (const char c : text) {
    const int value = c >= 'A' && c <= 'Z'   ? c - 'A'
                      : c >= 'a' && c <= 'z' ? c - 'a' + 26
                      : c >= '0' && c <= '9' ? c - '0' + 52
                      : c == '+'             ? 62
                      : c == '/'             ? 63
                                             : -1;
    if (value < 0)
      refuse(where + ": expected base64, found '" + std::string(1, std::isprint(c) ? c : '?') + "'");
    bits = bits << 6 | static_cast<uint32_t>(value);
    held += 6;
    if (held >= 8) held -= 8, out += static_cast<char>(bits >> held & 255);
  }
  return out;
}

// Component types (glTF 2.0, 3.6.2.2).
constexpr size_t kByte = 5120, kUByte = 5121, kShort = 5122, kUShort = 5123, kUInt = 5125, kFloat = 5126;

size_t component_size(size_t type) {
  return type == kByte || type == kUByte ? 1 : type == kShort || type == kUShort ? 2 : 4;
}

template <class T> T load(const char* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

// A component as float; normalised integers map to [-1, 1] or [0, 1].
float component(const char* from, size_t type, bool normalized) {
  const auto convert = [normalized](float value, float max_value) {
    return normalized ? std::max(value / max_value, -1.0f) : value;
  };
  switch (type) {
    case kByte:
      return convert(load<int8_t>(from), 127);
    case kUByte:
      return convert(load<uint8_t>(from), 255);
    case kShort:
      return convert(load<int16_t>(from), 32767);
    case kUShort:
      return convert(load<uint16_t>(from), 65535);
    case kUInt:
      return static_cast<float>(load<uint32_t>(from));
    default:
      return load<float>(from);
  }
}

}  // namespace

// The memory layout of an accessor's elements.
struct GltfFile::Elements {
  const char* first;
  size_t count, stride, components, type;
  bool normalized;
};

GltfFile::GltfFile(std::string_view bytes, const std::filesystem::path& folder) {
  read_container(bytes);
  if (!json_.is_object()) root().fail("an object");
  const std::string version = root().at("asset").at("version").string();
  if (version.substr(0, 2) != "2.")
    refuse("asset.version: expected 2.x, found '" + version.substr(0, 20) + "'");
  for (size_t k = 0; k < root().size_of("extensionsRequired"); ++k) {
    const std::string name = root().at("extensionsRequired").at(k).string();
    const bool harmless = name == "KHR_mesh_quantization" || name.starts_with("KHR_materials_") ||
                          name.starts_with("KHR_texture_") || name == "KHR_lights_punctual";
    if (!harmless)
      refuse("the file requires the glTF extension '" + name.substr(0, 60) + "', which is not supported");
  }
  read_buffers(folder);
}

void GltfFile::read_container(std::string_view bytes) {
  std::string_view text = bytes;
  if (bytes.starts_with("glTF")) {
    // Walk the chunks: JSON first, then binary.
    if (bytes.size() < 20)
      refuse("expected a header of 20 bytes, found a file of " + std::to_string(bytes.size()));
    if (const uint32_t version = little_endian(bytes, 4); version != 2)
      refuse("expected glTF version 2, found " + std::to_string(version));
    if (const uint32_t length = little_endian(bytes, 8); length != bytes.size())
      refuse("expected " + std::to_string(length) + " bytes as the header says, found " +
             std::to_string(bytes.size()));
    const size_t json_size = little_endian(bytes, 12);
    if (little_endian(bytes, 16) != 0x4e4f534a) refuse("expected the first chunk to be JSON");
    if (json_size > bytes.size() - 20)
      refuse("expected a JSON chunk of " + std::to_string(json_size) + " bytes, found the end of the file");
    text = bytes.substr(20, json_size);
    if (const std::string_view rest = bytes.substr(20 + json_size); rest.size() >= 8) {
      const size_t size = little_endian(rest, 0);
      if (size > rest.size() - 8)
        refuse("expected a binary chunk of " + std::to_string(size) + " bytes, found the end of the file");
      if (little_endian(rest, 4) == 0x004e4942) binary_ = rest.substr(8, size);
    }
  }
  if (text.size() > kMaxJson)
    refuse("expected at most " + std::to_string(kMaxJson) + " bytes of JSON, found " +
           std::to_string(text.size()));
  try {
    json_ = nlohmann::json::parse(text);
  } catch (const nlohmann::json::exception& e) {
    refuse(std::string("expected JSON, found an error: ") + e.what());
  }
}

void GltfFile::read_buffers(const std::filesystem::path& folder) {
  size_t all = 0;
  for (size_t b = 0; b < root().size_of("buffers"); ++b) {
    const JsonAt buffer = root().at("buffers").at(b);
    const size_t length = buffer.at("byteLength").index(kMaxBytes + 1);
    std::string bytes;
    if (!buffer.has("uri")) {
      if (b == 0) bytes = std::move(binary_);
    } else if (const std::string uri = buffer.at("uri").string(); uri.starts_with("data:")) {
      const size_t comma = uri.find(";base64,");
      if (comma == std::string::npos) refuse(buffer.path() + ".uri: expected base64 data");
      bytes = decode_base64(std::string_view(uri).substr(comma + 8), buffer.path() + ".uri");
    } else {
      // Reject paths: never read outside the file's own folder.
      if (uri.find_first_of("/\\:%") != std::string::npos || uri.empty() || uri[0] == '.')
        refuse(buffer.path() + ".uri: expected a file beside this one, found '" + uri.substr(0, 60) + "'");
      bytes = read_bytes(folder / uri);
    }
    all += bytes.size();
    if (all > kMaxBytes)
      refuse("buffers: expected at most " + std::to_string(kMaxBytes) + " bytes, found more");
    if (bytes.size() < length)
      refuse(buffer.path() + ": expected " + std::to_string(length) + " bytes, found " +
             std::to_string(bytes.size()));
    buffers_.push_back(std::move(bytes));
  }
}

size_t GltfFile::count(const JsonAt& accessor) const { return accessor.at("count").index(kMaxValues); }

GltfFile::Elements GltfFile::locate(const JsonAt& accessor, std::string_view type) {
  static const std::pair<std::string_view, size_t> kTypes[] = {
      {"SCALAR", 1}, {"VEC2", 2}, {"VEC3", 3}, {"VEC4", 4}, {"MAT4", 16}};
  Elements out{};
  for (const auto& [name, components] : kTypes)
    if (name == type) out.components = components;
  if (accessor.at("type").string() != type) accessor.at("type").fail("\"" + std::string(type) + "\"");
  if (accessor.has("sparse")) refuse(accessor.path() + ": sparse indices are not supported");
  out.type = accessor.at("componentType").index(kFloat + 1);
  if (out.type < kByte || out.type == 5124) accessor.at("componentType").fail("5120 to 5123, 5125 or 5126");
  out.normalized = accessor.has("normalized") && accessor.at("normalized").boolean();
  out.count = count(accessor);
  values_read_ += out.count * out.components;
  if (values_read_ > kMaxValues)
    refuse(accessor.path() + ": expected at most " + std::to_string(kMaxValues) +
           " values in all accessors, found more");

  const JsonAt views = root().at("bufferViews");
  const JsonAt view = views.at(accessor.at("bufferView").index(views.size()));
  const std::string& buffer = buffers_[view.at("buffer").index(buffers_.size())];
  const size_t view_start = view.index_or("byteOffset", buffer.size() + 1, 0);
  const size_t view_size = view.at("byteLength").index(buffer.size() - view_start + 1);
  const size_t start = accessor.has("byteOffset") ? accessor.at("byteOffset").index(view_size + 1) : 0;
  const size_t element = component_size(out.type) * out.components;
  out.stride = view.index_or("byteStride", 253, 0);
  if (out.stride == 0) out.stride = element;
  if (out.stride < element) refuse(view.path() + ".byteStride: expected at least " + std::to_string(element));
  if (out.count > 0 &&
      (view_size - start < element || (view_size - start - element) / out.stride < out.count - 1))
    refuse(accessor.path() + ": expected " + std::to_string(out.count) + " elements within " + view.path() +
           ", found fewer");
  out.first = buffer.data() + view_start + start;
  return out;
}

// A sparse accessor is zero or a dense base, with some elements replaced (glTF 2.0, 3.6.2.3). Base, indices
// and values are read as accessors of their own.
std::vector<float> GltfFile::read_sparse_floats(const JsonAt& accessor, std::string_view type) {
  const JsonAt sparse = accessor.at("sparse"), where = sparse.at("indices"), what = sparse.at("values");
  nlohmann::json base = accessor.raw(), positions = where.raw(), values = what.raw();
  base.erase("sparse");
  if (!positions.is_object()) where.fail("an object");
  if (!values.is_object()) what.fail("an object");
  values.erase("sparse");  // no recursion
  positions["count"] = values["count"] = sparse.at("count").raw();
  positions["type"] = "SCALAR";
  values["type"] = type;
  for (const char* key : {"componentType", "normalized"})
    if (accessor.has(key)) values[key] = accessor.at(key).raw();

  const std::vector<uint32_t> at = read_indices({positions, where.path()}, "SCALAR");
  const std::vector<float> changed = read_floats({values, what.path()}, type);
  const size_t width = at.empty() ? 1 : changed.size() / at.size();
  std::vector<float> out;
  if (accessor.has("bufferView")) {
    out = read_floats({base, accessor.path()}, type);
  } else {
    values_read_ += count(accessor) * width;
    if (values_read_ > kMaxValues)
      refuse(accessor.path() + ": expected at most " + std::to_string(kMaxValues) +
             " values in all accessors, found more");
    out.assign(count(accessor) * width, 0.0f);
  }
  for (size_t k = 0; k < at.size(); ++k) {
    if (at[k] >= count(accessor))
      refuse(where.path() + ": expected indices below " + std::to_string(count(accessor)) + ", found " +
             std::to_string(at[k]));
    std::copy_n(changed.begin() + static_cast<std::ptrdiff_t>(k * width), width,
                out.begin() + static_cast<std::ptrdiff_t>(at[k] * width));
  }
  return out;
}

std::vector<float> GltfFile::read_floats(const JsonAt& accessor, std::string_view type) {
  if (accessor.has("sparse")) return read_sparse_floats(accessor, type);
  const Elements s = locate(accessor, type);
  std::vector<float> out;
  out.reserve(s.count * s.components);
  for (size_t i = 0; i < s.count; ++i)
    for (size_t k = 0; k < s.components; ++k) {
      const float value =
          component(s.first + i * s.stride + k * component_size(s.type), s.type, s.normalized);
      if (!(std::fabs(value) <= 1e9f))
        refuse(accessor.path() + ": expected finite numbers up to 1e9, found " + std::to_string(value) +
               " in element " + std::to_string(i));
      out.push_back(value);
    }
  return out;
}

std::vector<uint32_t> GltfFile::read_indices(const JsonAt& accessor, std::string_view type) {
  const Elements s = locate(accessor, type);
  if (s.type != kUByte && s.type != kUShort && s.type != kUInt)
    accessor.at("componentType").fail("5121, 5123 or 5125");
  std::vector<uint32_t> out;
  out.reserve(s.count * s.components);
  for (size_t i = 0; i < s.count; ++i)
    for (size_t k = 0; k < s.components; ++k) {
      const char* from = s.first + i * s.stride + k * component_size(s.type);
      out.push_back(s.type == kUByte    ? load<uint8_t>(from)
                    : s.type == kUShort ? load<uint16_t>(from)
                                        : load<uint32_t>(from));
    }
  return out;
}

}  // namespace billow::importer
