// Linear blend skinning from the bones, where a garment has weights for it: what engines without networks do, to hold them against.
#include "decode/linear_blend.h"
#include "runtime/frame_stages.h"

namespace billow::by_blending {
namespace {

template <class Index>
void blend(const asset::GarmentView& view, const Index* bones, const BlendMatrix* matrices,
           float* positions) {
  const uint8_t* weights = view.blend.weights.data();
  constexpr float kPerWeight = 1.0f / static_cast<float>(kWholeWeight);
  // The fourth lane falls on the next vertex, which then gets its own.
  for (size_t v = 0; v < view.record->vertices; ++v)
    store(positions + 3 * v, blended(matrices, bones + kBonesPerVertex * v, weights + kBonesPerVertex * v,
                                     kPerWeight, view.rest.data() + 3 * v));
}

}  // namespace

// How bones move from their rest, without the key joint's motion.
void gather(Instance& i, float scale) {
  const Garment& g = *i.garment;
  place_bones(i, scale);
  find_bone_motions({g.bone_axes, g.view.chain_bones.size()}, {g.bone_followers, g.bone_follower_count},
                    {g.bone_rest, g.bones()}, i.places, i.bone_motions);
}

void expand(Instance& i, float scale) {
  const Garment& g = *i.garment;
  const Transform& key = i.moved[g.view.record->key_joint];
  for (uint32_t b = 0; b < g.bones(); ++b) i.blend_matrices[b] = blend_matrix(i.bone_motions[b], key, scale);
  const asset::BlendView& blend_view = g.view.blend;
  if (blend_view.bones_in_words.empty())
    blend(g.view, blend_view.bones_in_bytes.data(), i.blend_matrices, i.positions);
  else
    blend(g.view, blend_view.bones_in_words.data(), i.blend_matrices, i.positions);
}

}  // namespace billow::by_blending
