#include "garment/garment_file.h"

#include <cmath>
#include <cstdio>
#include <cstring>
#include <stdexcept>

#include "files/npy.h"
#include "files/whole_file.h"
#include "garment/mesh_file.h"

namespace billow::garment {
namespace {

// Length in bytes of the first character if it is valid UTF-8, else 0.
size_t utf8_length(std::string_view text) {
  const auto byte = [&](size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u; };
  const unsigned first = byte(0);
  const size_t length = first < 0x80                    ? 1
                        : first >= 0xc2 && first < 0xe0 ? 2
                        : first >= 0xe0 && first < 0xf0 ? 3
                        : first >= 0xf0 && first < 0xf5 ? 4
                                                        : 0;
  for (size_t i = 1; i < length; ++i)
    if ((byte(i) & 0xc0) != 0x80) return 0;
  // Reject overlong encodings, surrogates and code points above U+10FFFF.
  if ((first == 0xe0 && byte(1) < 0xa0) || (first == 0xed && byte(1) >= 0xa0) ||
      (first == 0xf0 && byte(1) < 0x90) || (first == 0xf4 && byte(1) >= 0x90))
    return 0;
  return length;
}

// A JSON string. Invalid UTF-8 becomes U+FFFD.
std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (size_t i = 0; i < text.size();) {
    const char c = text[i];
    const size_t length = utf8_length(std::string_view(text).substr(i));
    if (length == 0) {
      out += "\xef\xbf\xbd";
    } else if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      char escaped[8];
      std::snprintf(escaped, sizeof escaped, "\\u%04x", static_cast<unsigned>(static_cast<unsigned char>(c)));
      out += escaped;
    } else {
      out += text.substr(i, length);
    }
    i += length > 0 ? length : 1;
  }
  return out + "\"";
}

template <class Items, class Text> std::string list(const Items& items, Text text) {
  std::string out = "[";
  for (const auto& item : items) out += (out.size() > 1 ? ", " : "") + text(item);
  return out + "]";
}

// A list with one entry per line.
template <class Items, class Text> std::string lines(const Items& items, Text text) {
  std::string out;
  for (const auto& item : items) out += (out.empty() ? "\n    " : ",\n    ") + text(item);
  return "[" + out + (out.empty() ? "]" : "\n  ]");
}

std::string integer_text(uint32_t value) { return std::to_string(value); }

std::string attachment_text(const Attachment& a, const body::Skeleton& skeleton) {
  std::vector<std::string> joints;
  std::vector<float> weights;
  for (size_t k = 0; k < a.joints.size(); ++k) {
    if (a.weights[k] == 0) continue;
    joints.push_back(skeleton.joints[a.joints[k]].name);
    weights.push_back(a.weights[k]);
  }
  return "{\"vertex\": " + integer_text(a.vertex) + ", \"joints\": " + list(joints, quoted) +
         ", \"weights\": " + list(weights, files::shortest) + ", \"rest\": [" + files::shortest(a.rest.x) +
         ", " + files::shortest(a.rest.y) + ", " + files::shortest(a.rest.z) + "]}";
}

std::string bone_text(const Embedding& bone) {
  return "{\"vertices\": " + list(bone.vertices, integer_text) +
         ", \"weights\": " + list(bone.weights, files::shortest) + "}";
}

std::filesystem::path sibling(std::filesystem::path path, const char* ending) {
  return path.replace_filename(path.stem().string() + ending);
}

}  // namespace

std::filesystem::path mesh_file_of(const std::filesystem::path& garment) {
  return sibling(garment, "_mesh.obj");
}

std::string garment_to_text(const Garment& garment, const body::Skeleton& skeleton,
                            const std::string& mesh_file, const std::string& rest_file) {
  std::string out = "{\n";
  const auto add = [&](const char* key, const std::string& value) {
    out += std::string(out.size() > 2 ? ",\n" : "") + "  \"" + key + "\": " + value;
  };
  add("format", quoted(kGarmentFormat));
  add("version", std::to_string(kGarmentVersion));
  add("name", quoted(garment.name));
  add("material", quoted(garment.material));
  add("key_joint", quoted(garment.key_joint));
  add("mesh", quoted(mesh_file));
  add("vertices", std::to_string(garment.size()));
  add("triangles", std::to_string(garment.triangles.size()));
  add("pattern", garment.pattern_uvs.empty() ? "false" : "true");
  if (!rest_file.empty()) add("rest", quoted(rest_file));
  add("closed", garment.closed ? "true" : "false");
  add("contacts", quoted(body::text_of(garment.contacts)));
  add("attachments",
      lines(garment.attachments, [&](const Attachment& a) { return attachment_text(a, skeleton); }));
  add("bones", lines(garment.bones, bone_text));
  add("chains",
      lines(garment.chains, [](const std::vector<uint32_t>& chain) { return list(chain, integer_text); }));
  return out + "\n}\n";
}

void write_garment_file(const Garment& garment, const body::Skeleton& skeleton,
                        const std::filesystem::path& path) {
  validate(garment, skeleton.size());
  if (path.extension() != ".json")
    throw std::runtime_error("garment file: expected a name that ends in .json, found " + path.string());
  const std::filesystem::path mesh = mesh_file_of(path), rest = sibling(path, "_rest.npy");
  write_obj({garment.shape, garment.triangles, garment.pattern_uvs, {}, {}, {}}, mesh);
  const bool draped = !garment.rest.empty();
  if (draped) files::write_whole_file(rest, positions_to_npy(garment.rest));
  files::write_whole_file(path, garment_to_text(garment, skeleton, mesh.filename().string(),
                                                draped ? rest.filename().string() : ""));
}

static_assert(sizeof(V3) == 12);

std::string positions_to_npy(std::span<const V3> positions) {
  std::string out = files::npy_header("(" + std::to_string(positions.size()) + ", 3), ");
  out.append(reinterpret_cast<const char*>(positions.data()), sizeof(V3) * positions.size());
  return out;
}

NpyPositions positions_from_npy(std::string_view bytes) {
  const files::NpyLayout layout = files::npy_layout(bytes);
  NpyPositions out{layout.shape, {}};
  if ((out.shape.size() != 2 && out.shape.size() != 3) || out.shape.back() != 3)
    throw std::runtime_error("expected the shape (n, 3) or (frames, n, 3)");
  out.positions.resize(layout.count / 3);
  if (layout.count > 0) std::memcpy(out.positions.data(), bytes.data() + layout.start, 4 * layout.count);
  for (size_t v = 0; v < out.positions.size(); ++v)
    if (const V3 p = out.positions[v]; !std::isfinite(p.x) || !std::isfinite(p.y) || !std::isfinite(p.z))
      throw std::runtime_error("position " + std::to_string(v) + " is not finite");
  return out;
}

NpyPositions read_npy_positions(const std::filesystem::path& path) {
  const std::string bytes = files::read_whole_file(path, size_t{8} << 30);
  try {
    return positions_from_npy(bytes);
  } catch (const std::runtime_error& e) {
    throw std::runtime_error(path.string() + ": " + e.what());
  }
}

}  // namespace billow::garment
