// Arbitrary bytes as a BVH file: a character whose clip can be sampled, or a std::runtime_error.
#include "import/bvh.h"

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string_view>

using namespace billow;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  try {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    // The last byte chooses the scale: guessing the unit (0) refuses most random files.
    const float scale = size > 0 && data[size - 1] % 2 ? 1.0f : 0.0f;
    const importer::Character c = importer::parse_bvh(text, "fuzz.bvh", {.scale = scale});
    body::joint_transforms(c.skeleton, motion::pose_at(c.clips.at(0), 0.1f));
  } catch (const std::runtime_error&) {
  }
  return 0;
}
