// Writes glTF with one morph target per frame. The mesh is the first frame, the targets are the differences
// of the others to it, and their weights go to 1 and back one after the other. Normals are written too,
// because readers use flat shading without them. Positions round-trip to within the last bit or two of a
// float. Points are animated nodes.
#include <algorithm>
#include <bit>
#include <map>
#include <nlohmann/json.hpp>

#include "body/mesh.h"
#include "cache/formats.h"
#include "files/whole_file.h"

namespace billow::cache {
namespace {

using nlohmann::json;
static_assert(std::endian::native == std::endian::little,
              "glTF's little-endian buffers are written unconverted");

constexpr int kUInt = 5125, kFloat = 5126;

std::string base64(const std::string& bytes) {
  static const char kDigits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  out.reserve(bytes.size() / 3 * 4 + 4);
  const auto byte = [&](size_t k) { return k < bytes.size() ? static_cast<unsigned char>(bytes[k]) : 0u; };
  for (size_t k = 0; k < bytes.size(); k += 3) {
    const uint32_t bits = byte(k) << 16 | byte(k + 1) << 8 | byte(k + 2);
    for (int shift = 18; shift >= 0; shift -= 6) out += kDigits[bits >> shift & 63];
  }
  for (size_t k = bytes.size(); k % 3 != 0; ++k) out[out.size() - (k % 3 == 1 ? 2 : 1)] = '=';
  return out;
}

class GltfWriter : public Writer {
  bool takes_points() const override { return true; }

  void begin() override {
    file_ = std::make_unique<files::AtomicFile>(path_);
    split_vertices();
    // Reject early what the reader would reject.
    const bool binary = lower_extension(path_) == ".glb";
    const size_t max_values = binary ? kMaxGlbValues : kMaxGltfValues;
    const double frames = static_cast<double>(frames_), vertices = static_cast<double>(vertex_.size());
    // The reader skips normals: they only count in text, whose total size is limited.
    const double per_vertex = binary ? 3 : 6;
    const double need = per_vertex * vertices * (frames + 1) + frames * (frames + 1) +
                        3 * static_cast<double>(triangles_.size());
    if (need > static_cast<double>(max_values))
      fail("cannot write ", path_.string(), ": expected at most ", max_values, " numbers, found ",
           static_cast<uint64_t>(need), " in ", frames_, " frames of ", vertex_.size(),
           " vertices; write fewer frames, ", (binary ? "" : ".glb, "), "PC2, MDD or USDA");
    json_ = {{"asset", {{"version", "2.0"}, {"generator", "Billow"}}},
             {"scene", 0},
             {"scenes", {{{"nodes", {0}}}}}};
    json_["accessors"] = json_["bufferViews"] = json::array();
  }

  // Splits vertices with several UVs. The copies follow after the original vertices.
  void split_vertices() {
    const size_t count = topology_.vertices;
    triangles_ = topology_.triangles;
    for (uint32_t v = 0; v < count; ++v) vertex_.push_back(v);
    if (topology_.uv_triangles.empty()) return;
    std::vector<uint32_t> uv_of(count, UINT32_MAX);
    std::map<std::pair<uint32_t, uint32_t>, uint32_t> copies;
    for (size_t t = 0; t < triangles_.size(); ++t)
      for (size_t k = 0; k < 3; ++k) {
        uint32_t& v = triangles_[t][k];
        const uint32_t uv = topology_.uv_triangles[t][k];
        if (uv_of[v] == UINT32_MAX) uv_of[v] = uv;
        if (uv_of[v] == uv) continue;
        const auto [at, is_new] = copies.insert({{v, uv}, static_cast<uint32_t>(vertex_.size())});
        if (is_new) vertex_.push_back(v), uv_of.push_back(uv);
        v = at->second;
      }
    for (const uint32_t uv : uv_of) {
      const Uv value = uv == UINT32_MAX ? Uv{0, 0} : topology_.uvs[uv];
      uvs_.insert(uvs_.end(), {value[0], 1 - value[1]});  // v runs down in glTF
    }
  }

  // Appends values to the buffer and returns the index of their accessor.
  size_t accessor(const char* type, int component, size_t count, const void* data, size_t bytes,
                  int target = 0) {
    json view = {{"buffer", 0}, {"byteOffset", binary_.size()}, {"byteLength", bytes}};
    if (target != 0) view["target"] = target;
    json_["bufferViews"].push_back(std::move(view));
    json_["accessors"].push_back({{"bufferView", json_["bufferViews"].size() - 1},
                                  {"componentType", component},
                                  {"type", type},
                                  {"count", count}});
    binary_.append(static_cast<const char*>(data), bytes);
    return json_["accessors"].size() - 1;
  }
  size_t floats(const char* type, size_t components, const std::vector<float>& values, bool vertices = true) {
    const size_t count = values.size() / components;
    return accessor(type, kFloat, count, values.data(), 4 * values.size(), vertices ? 34962 : 0);
  }

  void add(std::span<const V3> positions) override {
    const std::vector<V3> normals = body::vertex_normals(positions, topology_.triangles);
    const bool first = written_ == 0;
    if (first) base_ = {{positions.begin(), positions.end()}, normals};
    const json attributes = {{"POSITION", vectors(positions, first ? nullptr : base_.positions.data())},
                             {"NORMAL", vectors(normals, first ? nullptr : base_.normals.data())}};
    if (first)
      attributes_ = attributes;
    else
      targets_.push_back(attributes);
  }

  // Writes a vector per written vertex, as differences to `base` if there is one.
  size_t vectors(std::span<const V3> values, const V3* base) {
    std::vector<float> components;
    components.reserve(3 * vertex_.size());
    V3 low{INFINITY, INFINITY, INFINITY}, high = -low;
    for (const uint32_t v : vertex_) {
      const V3 p = base == nullptr ? values[v] : values[v] - base[v];
      low = body::component_min(low, p), high = body::component_max(high, p);
      components.insert(components.end(), {p.x, p.y, p.z});
    }
    const size_t index = floats("VEC3", 3, components);
    json_["accessors"][index]["min"] = {low.x, low.y, low.z};
    json_["accessors"][index]["max"] = {high.x, high.y, high.z};
    return index;
  }

  void add_mesh() {
    if (!uvs_.empty()) attributes_["TEXCOORD_0"] = floats("VEC2", 2, uvs_);
    attributes_["_VERTEX"] = floats("SCALAR", 1, std::vector<float>(vertex_.begin(), vertex_.end()));
    json primitive = {{"attributes", attributes_}, {"material", 0}};
    primitive["indices"] =
        accessor("SCALAR", kUInt, 3 * triangles_.size(), triangles_.data(), 12 * triangles_.size(), 34963);
    json mesh = {{"name", path_.stem().string()}};
    if (!targets_.empty()) {
      primitive["targets"] = targets_;
      mesh["weights"] = std::vector<int>(targets_.size(), 0);
    }
    mesh["primitives"] = json::array({primitive});
    json_["meshes"] = json::array({mesh});
    json_["materials"] = json::array({{{"name", "cloth"}, {"doubleSided", true}}});
    json_["nodes"] = json::array({{{"name", path_.stem().string()}, {"mesh", 0}}});
  }

  void add_animation() {
    if (frames_ < 2) {
      json none;
      return add_point_nodes(none, 0);
    }
    std::vector<float> times, weights(frames_ * targets_.size(), 0.0f);
    for (size_t frame = 0; frame < frames_; ++frame) {
      times.push_back(static_cast<float>(static_cast<double>(frame) / fps_));
      if (frame > 0) weights[frame * targets_.size() + frame - 1] = 1;
    }
    const size_t input = floats("SCALAR", 1, times, false), output = floats("SCALAR", 1, weights, false);
    json_["accessors"][input]["min"] = {times.front()};
    json_["accessors"][input]["max"] = {times.back()};
    json animation = {
        {"name", path_.stem().string()},
        {"samplers", json::array({{{"input", input}, {"output", output}, {"interpolation", "LINEAR"}}})},
        {"channels", json::array({{{"sampler", 0}, {"target", {{"node", 0}, {"path", "weights"}}}}})}};
    add_point_nodes(animation, input);
    json_["animations"] = json::array({std::move(animation)});
  }

  // Adds one node per point, with its translation relative to its parent, under a common node "chains".
  void add_point_nodes(json& animation, size_t times) {
    if (points_.empty()) return;
    json& nodes = json_["nodes"];
    const size_t top = nodes.size();
    nodes.push_back({{"name", "chains"}});
    json_["scenes"][0]["nodes"].push_back(top);
    for (size_t k = 0; k < points_.size(); ++k) {
      const Point& point = points_[k];
      std::vector<float> translations;
      for (size_t f = 0; f < frames_; ++f) {
        V3 p = point.positions[f];
        if (point.parent >= 0) p = p - points_[static_cast<size_t>(point.parent)].positions[f];
        translations.insert(translations.end(), {p.x, p.y, p.z});
      }
      const size_t parent = point.parent < 0 ? top : top + 1 + static_cast<size_t>(point.parent);
      nodes[parent]["children"].push_back(nodes.size());
      if (frames_ > 1) {
        const size_t output = floats("VEC3", 3, translations, false);
        const size_t sampler = animation["samplers"].size();
        animation["samplers"].push_back({{"input", times}, {"output", output}, {"interpolation", "LINEAR"}});
        animation["channels"].push_back(
            {{"sampler", sampler}, {"target", {{"node", nodes.size()}, {"path", "translation"}}}});
      }
      nodes.push_back(
          {{"name", point.name}, {"translation", {translations[0], translations[1], translations[2]}}});
    }
  }

  void end() override {
    add_mesh();
    add_animation();
    json_["buffers"] = json::array({{{"byteLength", binary_.size()}}});
    if (lower_extension(path_) == ".glb") {
      write_binary();
    } else {
      json_["buffers"][0]["uri"] = "data:application/octet-stream;base64," + base64(binary_);
      file_->write(json_.dump(-1, ' ', true, json::error_handler_t::replace));
    }
    file_->commit();
  }

  void write_binary() {
    std::string text = json_.dump(-1, ' ', true, json::error_handler_t::replace);
    text.resize((text.size() + 3) / 4 * 4, ' ');
    const auto word = [](size_t n) {
      const uint32_t value = static_cast<uint32_t>(n);
      return std::string(reinterpret_cast<const char*>(&value), 4);
    };
    file_->write("glTF" + word(2) + word(28 + text.size() + binary_.size()));
    file_->write(word(text.size()) + "JSON" + text);
    file_->write(word(binary_.size()) + std::string("BIN\0", 4));
    file_->write(binary_);  // its size is a multiple of 4, because all components have 4 bytes
  }

  std::unique_ptr<files::AtomicFile> file_;
  json json_, attributes_, targets_ = json::array();
  std::string binary_;
  struct {
    std::vector<V3> positions, normals;
  } base_;                           // the first frame
  std::vector<uint32_t> vertex_;     // the surface's vertex of each written vertex
  std::vector<Triangle> triangles_;  // of written vertices
  std::vector<float> uvs_;
};

}  // namespace

std::unique_ptr<Writer> make_gltf_writer() { return std::make_unique<GltfWriter>(); }

}  // namespace billow::cache
