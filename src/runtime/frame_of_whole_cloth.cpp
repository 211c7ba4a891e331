// Gather, infer and expand where the cloth was learnt as a whole.
#include "decode/expand.h"
#include "runtime/frame_stages.h"

namespace billow::whole_cloth {

// How all bones differ from their rest, without the key joint's motion.
void gather(Instance& i, float scale) {
  const Garment& g = *i.garment;
  const Transform back = inverse(i.moved[g.view.record->key_joint]);
  const float shrink = 1.0f / scale;
  for (uint32_t b = 0; b < g.bones(); ++b) {
    const V3 d = apply(back, i.bones[b]) * shrink - g.bone_rest[b];
    float* to = i.inputs + 3 * size_t{b};
    to[0] = d.x, to[1] = d.y, to[2] = d.z;
  }
}

// Both networks. The ones behind the coefficients stand for the means.
void infer(Instance& i) {
  const Garment& g = *i.garment;
  const InferItem skinning{0, i.inputs, i.coefficients};
  billow::infer(g.skinning, &skinning, 1, i.infer);
  i.coefficients[g.skinning.outputs] = 1;
  if (g.shape.outputs == 0) return;
  float* shape = i.coefficients + g.shape_at();
  const InferItem detail{0, i.inputs, shape};
  if (i.options.shape) billow::infer(g.shape, &detail, 1, i.infer);
  for (uint32_t k = 0; k <= g.shape.outputs; ++k)
    if (!i.options.shape || k == g.shape.outputs) shape[k] = i.options.shape ? 1.0f : 0.0f;
}

void expand(Instance& i, float scale) {
  const Garment& g = *i.garment;
  billow::expand(g.view.basis, i.coefficients, i.infer[0].factors, i.cloth);
  place(g.view.rest.data(), i.cloth, g.vertices(), i.moved[g.view.record->key_joint], scale, i.positions);
}

}  // namespace billow::whole_cloth
