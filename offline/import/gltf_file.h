// The outside of a glTF 2.0 file: its JSON, its buffers, and the numbers of its accessors. Every offset, count
// and index is checked against what is there before it is used.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "import/json_at.h"

namespace billow::importer {

class GltfFile {
 public:
  // `bytes` is a .glb or a .gltf; buffers beside a .gltf are read from `folder`, by plain names only.
  GltfFile(std::string_view bytes, const std::filesystem::path& folder);

  JsonAt root() const { return {json_, ""}; }
  JsonAt accessor(size_t index) const { return root().at("accessors").at(index); }

  // All numbers of an accessor of that type ("VEC3"): finite, up to 1e9 either way.
  std::vector<float> numbers(const JsonAt& accessor, std::string_view type);
  // Whole numbers: indices of vertices and joints.
  std::vector<uint32_t> indices(const JsonAt& accessor, std::string_view type);
  size_t count(const JsonAt& accessor) const;

 private:
  struct Span;
  void read_container(std::string_view bytes);
  void read_buffers(const std::filesystem::path& folder);
  Span span(const JsonAt& accessor, std::string_view type);
  std::vector<float> sparse_numbers(const JsonAt& accessor, std::string_view type);

  nlohmann::json json_;
  std::string binary_;  // the second chunk of a .glb
  std::vector<std::string> buffers_;
  size_t numbers_read_ = 0;
};

}  // namespace billow::importer
