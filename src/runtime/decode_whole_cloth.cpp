// The paper's decoder: a skinning and a shape network of all bones' displacements, one PCA basis each for all vertices.
#include "decode/expand.h"
#include "runtime/frame.h"

namespace billow {
namespace {

// Displacements of all bones from their rest, in the key joint's frame.
void gather(Instance& i, const FrameInput& in) {
  const Garment& g = *i.garment;
  to_key_joint(i, in.scale, i.local_bones);
  for (uint32_t b = 0; b < g.bones(); ++b) {
    const V3 d = i.local_bones[b] - g.bone_rest[b];
    float* to = i.inputs + 3 * size_t{b};
    to[0] = d.x, to[1] = d.y, to[2] = d.z;
  }
}

// Both networks. A coefficient of 1 behind those of each network multiplies the mean, which is a column of the basis.
void infer_one(Instance& i) {
  const Garment& g = *i.garment;
  const InferItem skinning{0, i.inputs, i.coefficients};
  billow::infer(g.skinning, &skinning, 1, i.infer);
  i.coefficients[g.skinning.outputs] = 1;
  if (g.shape.outputs == 0) return;
  float* const shape = i.coefficients + g.shape_at();
  const InferItem detail{0, i.inputs, shape};
  if (i.options.shape) billow::infer(g.shape, &detail, 1, i.infer);
  for (uint32_t k = 0; k <= g.shape.outputs; ++k)
    if (!i.options.shape || k == g.shape.outputs) shape[k] = i.options.shape ? 1.0f : 0.0f;
}

void infer(const Batch& batch) {
  for (Instance* i : batch.instances) infer_one(*i);
}

void expand(const Batch& batch) {
  for (size_t k = 0; k < batch.size(); ++k) {
    Instance& i = *batch.instances[k];
    const Garment& g = *i.garment;
    billow::expand(g.view.basis, i.coefficients, i.infer[0].quantised, i.displacements);
    place_vertices(g.view.rest.data(), i.displacements, g.vertices(),
                   i.joint_motions[g.view.record->key_joint], batch.inputs[k].scale, i.positions);
  }
}

}  // namespace

const Decoder whole_cloth_decoder{gather, infer, expand};

}  // namespace billow
