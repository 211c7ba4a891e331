// Stage "gather", what all decoders need: bones in world space, corrected, and in the frame of the key joint.
#include "runtime/frame.h"

namespace billow {
namespace {

// Rope bones towards where the reference cloth has them: a network of all bones' displacements in the key joint's frame.
void correct_bones(Instance& i, float scale) {
  const Garment& g = *i.garment;
  if (g.correction.outputs == 0) return;
  const Transform& key = i.joint_motions[g.view.record->key_joint];
  to_key_joint(i, scale, i.local_bones);
  for (uint32_t b = 0; b < g.bones(); ++b) {
    const V3 d = i.local_bones[b] - g.bone_rest[b];
    float* to = i.correction_inputs + 3 * size_t{b};
    to[0] = d.x, to[1] = d.y, to[2] = d.z;
  }
  const InferItem all_bones{0, i.correction_inputs, i.bone_correction};
  infer(g.correction, &all_bones, 1, i.infer);
  // Bound the correction: inputs outside the training distribution may give anything.
  constexpr float kMax = 0.3f;  // m, as learn::kMaxCorrection
  for (uint32_t b = 0; b < g.bones(); ++b) {
    const float* by = i.bone_correction + 3 * size_t{b};
    const V3 d{by[0], by[1], by[2]};
    const float l = length(d);
    i.bones[b] += rotate(key.rotation, d * (scale * (l > kMax ? kMax / l : 1.0f)));
  }
}

}  // namespace

void gather_bones(Instance& i, float scale) {
  const ChainSet& set = i.chains->set;
  size_t next = 0;
  for (int c = 0; c < set.layout.chains; ++c)
    for (int k = 0; k < set.bones[c]; ++k)
      i.bones[i.garment->view.chain_bones[next++].bone] = get(set.x, set.layout.at(k, c));
  place_chainless_bones(i, scale);
  correct_bones(i, scale);
}

void to_key_joint(const Instance& i, float scale, V3* out) {
  const Transform back = inverse(i.joint_motions[i.garment->view.record->key_joint]);
  for (uint32_t b = 0; b < i.garment->bones(); ++b) out[b] = apply(back, i.bones[b]) * (1 / scale);
}

}  // namespace billow
