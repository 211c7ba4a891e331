// The container level of a glTF 2.0 file: its JSON, its buffers and the values of its accessors. Every
// offset, count and index is bounds-checked before use.
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
  // `bytes` is a .glb or a .gltf; external buffers are read from `folder`, by plain file names only.
  GltfFile(std::string_view bytes, const std::filesystem::path& folder);

  JsonAt root() const { return {json_, ""}; }
  JsonAt accessor(size_t index) const { return root().at("accessors").at(index); }

  // All components of an accessor of that type ("VEC3"): finite, from -1e9 to 1e9.
  std::vector<float> read_floats(const JsonAt& accessor, std::string_view type);
  // Unsigned integers: indices of vertices and joints.
  std::vector<uint32_t> read_indices(const JsonAt& accessor, std::string_view type);
  size_t count(const JsonAt& accessor) const;

 private:
  struct Elements;
  void read_container(std::string_view bytes);
  void read_buffers(const std::filesystem::path& folder);
  Elements locate(const JsonAt& accessor, std::string_view type);
  std::vector<float> read_sparse_floats(const JsonAt& accessor, std::string_view type);

  nlohmann::json json_;
  std::string binary_;  // the second chunk of a .glb
  std::vector<std::string> buffers_;
  size_t values_read_ = 0;
};

}  // namespace billow::importer
