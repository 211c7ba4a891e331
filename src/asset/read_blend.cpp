#include "asset/reader.h"

namespace billow::asset {

template <class Index> bool Reader::check_blend(std::span<const Index> bones) {
  const std::span<const uint8_t> weights = view_.blend.weights;
  for (size_t i = 0; i < bones.size(); i += kBonesPerVertex) {
    uint32_t sum = 0;
    for (size_t k = i; k < i + kBonesPerVertex; ++k) {
      if (!check_below("blend.bones", i / kBonesPerVertex, "a bone", bones[k], view_.record->bones))
        return false;
      sum += weights[k];
    }
    if (sum != kBlendWeightSum)
      return fail("section 'blend.weights', record %zu: expected weights that add up to %u, found %u",
                  i / kBonesPerVertex, kBlendWeightSum, sum);
  }
  return true;
}

bool Reader::read_blend() {
  if (!find("blend.bones") && !find("blend.weights")) return true;
  const uint64_t count = uint64_t{kBonesPerVertex} * view_.record->vertices;
  BlendView& blend = view_.blend;
  if (!find_array("blend.weights", count, blend.weights)) return false;
  if (view_.record->bones <= kMaxBonesInBytes)
    return find_array("blend.bones", count, blend.bones_in_bytes) && check_blend(blend.bones_in_bytes);
  return find_array("blend.bones", count, blend.bones_in_words) && check_blend(blend.bones_in_words);
}

}  // namespace billow::asset
