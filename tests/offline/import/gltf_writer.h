// Small glTF files for tests.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <vector>

namespace billow {

struct GltfWriter {
  GltfWriter() = default;
  // Parses a .glb.
  explicit GltfWriter(const std::string& glb) {
    uint32_t size = 0;
    std::memcpy(&size, glb.data() + 12, 4);
    json = nlohmann::json::parse(glb.substr(20, size));
    binary = glb.substr(28 + size);
  }

  nlohmann::json json = {{"asset", {{"version", "2.0"}}}, {"scene", 0}};
  std::string binary;

  // Adds an accessor and returns its index.
  template <class T> size_t add(const std::string& type, size_t components, const std::vector<T>& values) {
    const int kind = std::is_same_v<T, float> ? 5126 : std::is_same_v<T, uint16_t> ? 5123 : 5121;
    while (binary.size() % 4 != 0) binary += '\0';
    json["bufferViews"].push_back(
        {{"buffer", 0}, {"byteOffset", binary.size()}, {"byteLength", sizeof(T) * values.size()}});
    json["accessors"].push_back({{"bufferView", json["bufferViews"].size() - 1},
                                 {"componentType", kind},
                                 {"type", type},
                                 {"count", values.size() / components}});
    binary.append(reinterpret_cast<const char*>(values.data()), sizeof(T) * values.size());
    return json["accessors"].size() - 1;
  }
  size_t scalars(const std::vector<float>& v) { return add("SCALAR", 1, v); }
  size_t vec3(const std::vector<float>& v) { return add("VEC3", 3, v); }
  size_t vec4(const std::vector<float>& v) { return add("VEC4", 4, v); }

  void animate(const std::string& name, size_t node, const std::string& path, const std::vector<float>& times,
               const std::vector<float>& values, const std::string& interpolation = "LINEAR") {
    nlohmann::json* animation = nullptr;
    for (auto& a : json["animations"])
      if (a["name"] == name) animation = &a;
    if (!animation) {
      json["animations"].push_back(
          {{"name", name}, {"samplers", nlohmann::json::array()}, {"channels", nlohmann::json::array()}});
      animation = &json["animations"].back();
    }
    (*animation)["samplers"].push_back({{"input", scalars(times)},
                                        {"output", path == "rotation" ? vec4(values) : vec3(values)},
                                        {"interpolation", interpolation}});
    (*animation)["channels"].push_back(
        {{"sampler", (*animation)["samplers"].size() - 1}, {"target", {{"node", node}, {"path", path}}}});
  }

  // As a .glb.
  std::string bytes() const {
    nlohmann::json all = json;
    if (!all.contains("buffers")) all["buffers"] = {{{"byteLength", binary.size()}}};
    std::string text = all.dump(), data = binary;
    while (text.size() % 4 != 0) text += ' ';
    while (data.size() % 4 != 0) data += '\0';
    std::string out = "glTF";
    const auto append_word = [&out](size_t n) {
      const uint32_t value = static_cast<uint32_t>(n);
      out.append(reinterpret_cast<const char*>(&value), 4);
    };
    append_word(2);
    append_word(28 + text.size() + data.size());
    append_word(text.size());
    out += "JSON" + text;
    append_word(data.size());
    out += std::string("BIN\0", 4) + data;
    return out;
  }
};

// A strip 2 units tall along y, skinned to two bones: "lower" from 0 up, "upper" from 1 up. The armature is
// scaled by `scale` and its bones' offsets by the inverse, so that the result does not depend on it. A mesh
// "box" of one triangle is rigidly attached to the upper bone. Clip "bend" rotates the upper bone about z by
// 90 degrees in one second.
inline GltfWriter bent_strip(float scale = 1) {
  GltfWriter w;
  const float s = 1 / scale;
  w.json["scenes"] = {{{"nodes", {0, 3}}}};
  w.json["nodes"] = {{{"name", "armature"}, {"children", {1}}, {"scale", {scale, scale, scale}}},
                     {{"name", "lower"}, {"children", {2}}},
                     {{"name", "upper"}, {"children", {4}}, {"translation", {0, s, 0}}},
                     {{"name", "strip"}, {"mesh", 0}, {"skin", 0}},
                     {{"name", "box"}, {"mesh", 1}, {"translation", {0, s, 0}}}};
  const size_t positions =
      w.vec3({-0.1f, 0, 0, 0.1f, 0, 0, -0.1f, 1, 0, 0.1f, 1, 0, -0.1f, 2, 0, 0.1f, 2, 0});
  const size_t joints =
      w.add<uint8_t>("VEC4", 4, {0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0});
  const size_t weights =
      w.vec4({1, 0, 0, 0, 1, 0, 0, 0, .5f, .5f, 0, 0, .5f, .5f, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0});
  const size_t index = w.add<uint16_t>("SCALAR", 1, {0, 1, 2, 2, 1, 3, 2, 3, 4, 4, 3, 5});
  w.json["meshes"].push_back(
      {{"primitives",
        {{{"attributes", {{"POSITION", positions}, {"JOINTS_0", joints}, {"WEIGHTS_0", weights}}},
          {"indices", index}}}}});
  const size_t box = w.vec3({0, 0, 0, s, 0, 0, 0, s, 0});
  w.json["meshes"].push_back({{"primitives", {{{"attributes", {{"POSITION", box}}}}}}});
  w.json["skins"] = {
      {{"joints", {1, 2}},
       {"inverseBindMatrices", w.add<float>("MAT4", 16, {s, 0, 0, 0, 0, s, 0, 0, 0, 0, s, 0, 0, 0,  0, 1,
                                                         s, 0, 0, 0, 0, s, 0, 0, 0, 0, s, 0, 0, -s, 0, 1})}}};
  const float half = 0.70710678f;
  w.animate("bend", 2, "rotation", {0, 1}, {0, 0, 0, 1, 0, 0, half, half});
  return w;
}

// A random mutation of the file: JSON values replaced or removed, data bytes changed, or the end truncated.
inline std::string changed(const GltfWriter& file, uint32_t seed) {
  std::mt19937 random(seed);
  const auto below = [&random](size_t end) { return static_cast<size_t>(random()) % end; };
  static const nlohmann::json kValues[] = {0,
                                           1,
                                           2,
                                           3,
                                           -1,
                                           -5,
                                           5121,
                                           5126,
                                           65535,
                                           99999,
                                           2147483647,
                                           2147483648u,
                                           4294967295u,
                                           1099511627776,
                                           18446744073709551615u,
                                           0.5,
                                           1e-30,
                                           1e9,
                                           1e300,
                                           nullptr,
                                           true,
                                           "",
                                           "x",
                                           "VEC3",
                                           "SCALAR",
                                           "MAT4",
                                           nlohmann::json::array(),
                                           nlohmann::json::object(),
                                           {0},
                                           {99999},
                                           {{"a", 1}}};
  GltfWriter out = file;
  if (const size_t kind = below(8); kind == 0) {
    for (size_t k = 0, n = 1 + below(3); k < n; ++k)
      out.binary[below(out.binary.size())] = static_cast<char>(random());
  } else if (kind == 1) {
    const float bad[] = {NAN, HUGE_VALF, 1e30f, -1, 0};
    std::memcpy(out.binary.data() + 4 * below(out.binary.size() / 4), &bad[below(5)], 4);
  } else if (kind == 2) {
    const std::string bytes = out.bytes();
    return bytes.substr(0, below(bytes.size()));
  } else {
    for (size_t k = 0, n = 1 + below(2); k < n; ++k) {
      // Descend to a random value.
      nlohmann::json *at = &out.json, *above = nullptr;
      std::string key;
      while (at->is_structured() && !at->empty() && (at == &out.json || below(12) > 0)) {
        above = at;
        auto child = at->begin();
        std::advance(child, static_cast<std::ptrdiff_t>(below(at->size())));
        key = at->is_object() ? child.key() : "";
        at = &*child;
      }
      if (above && !key.empty() && below(8) == 0)
        above->erase(key);
      else
        *at = kValues[below(std::size(kValues))];
    }
  }
  return out.bytes();
}

}  // namespace billow
