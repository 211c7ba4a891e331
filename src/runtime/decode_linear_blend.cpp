// Linear blend skinning from the bones, for garments with skinning weights: the baseline that engines without networks have.
#include "decode/linear_blend.h"
#include "runtime/frame.h"

namespace billow {
namespace {

template <class Index>
void blend(const asset::GarmentView& view, const Index* bones, const BlendMatrix* matrices,
           float* positions) {
  const uint8_t* weights = view.blend.weights.data();
  constexpr float kPerWeight = 1.0f / static_cast<float>(kBlendWeightSum);
  // Each store writes a fourth lane over the next vertex, which is written after it.
  for (size_t v = 0; v < view.record->vertices; ++v)
    store(positions + 3 * v, blended(matrices, bones + kBonesPerVertex * v, weights + kBonesPerVertex * v,
                                     kPerWeight, view.rest.data() + 3 * v));
}

// Rigid motions of the bones from their rest, in the key joint's frame.
void gather(Instance& i, const FrameInput& in) {
  const Garment& g = *i.garment;
  to_key_joint(i, in.scale, i.local_bones);
  find_bone_motions({g.bone_axes, g.view.chain_bones.size()}, {g.bone_followers, g.bone_follower_count},
                    {g.bone_rest, g.bones()}, i.local_bones, i.bone_motions);
}

void expand(const Batch& batch) {
  for (size_t k = 0; k < batch.size(); ++k) {
    Instance& i = *batch.instances[k];
    const Garment& g = *i.garment;
    const Transform& key = i.joint_motions[g.view.record->key_joint];
    for (uint32_t b = 0; b < g.bones(); ++b)
      i.blend_matrices[b] = blend_matrix(i.bone_motions[b], key, batch.inputs[k].scale);
    const asset::BlendView& v = g.view.blend;
    if (v.bones_in_words.empty())
      blend(g.view, v.bones_in_bytes.data(), i.blend_matrices, i.positions);
    else
      blend(g.view, v.bones_in_words.data(), i.blend_matrices, i.positions);
  }
}

}  // namespace

const Decoder linear_blend_decoder{gather, nullptr, expand};

}  // namespace billow
