// Arbitrary bytes as a glTF file: a character whose clips can be sampled, or a std::runtime_error.
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string_view>

#include "import/character.h"

using namespace billow;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  try {
    const importer::Character c =
        importer::parse_gltf({reinterpret_cast<const char*>(data), size}, "fuzz.glb", {}, "/nowhere");
    std::vector<V3> vertices(c.skin.mesh.positions.size());
    for (const motion::Clip& clip : c.clips)
      if (!vertices.empty())
        body::skin_vertices(c.skin, body::joint_transforms(c.skeleton, motion::pose_at(clip, 0.1f)),
                            vertices);
  } catch (const std::runtime_error&) {
  }
  return 0;
}
