// A network of the file, as the runtime takes it.
#include "asset/garment_view.h"

namespace billow::asset {

Mlp NetworkView::mlp() const {
  Mlp m;
  m.inputs = record->inputs, m.outputs = record->outputs, m.layers = record->layers;
  m.activation = static_cast<ActivationKind>(record->activation);
  m.mean = mean.data(), m.scale = scale.data();
  for (uint32_t k = 0; k < m.layers; ++k) m.layer[k] = layer[k], m.bias[k] = bias[k].data();
  m.linear = linear;
  return m;
}

}  // namespace billow::asset
