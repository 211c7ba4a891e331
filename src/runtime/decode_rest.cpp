// The rest mesh, moved rigidly with the key joint: a garment with its networks off.
#include "decode/expand.h"
#include "runtime/frame.h"

namespace billow {
namespace {

void expand(const Batch& batch) {
  for (size_t k = 0; k < batch.size(); ++k) {
    Instance& i = *batch.instances[k];
    const Garment& g = *i.garment;
    for (size_t f = 0; f < 3 * size_t{g.vertices()}; ++f) i.displacements[f] = 0;
    place_vertices(g.view.rest.data(), i.displacements, g.vertices(),
                   i.joint_motions[g.view.record->key_joint], batch.inputs[k].scale, i.positions);
  }
}

}  // namespace

const Decoder rest_decoder{[](Instance&, const FrameInput&) {}, nullptr, expand};

}  // namespace billow
