// Networks of the file, as the runtime takes them.
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

Mlp PatchesView::mlp(size_t patch) const {
  const PatchNumbers n = numbers_of(patch);
  Mlp m;
  m.inputs = inputs(), m.outputs = record->components, m.layers = record->layers;
  m.activation = static_cast<ActivationKind>(record->activation);
  m.mean = n.mean, m.scale = n.scale, m.linear_bias = n.linear_bias;
  for (uint32_t k = 0; k < m.layers; ++k) {
    m.layer[k] = layer[k].block(patch * in_panels(record->units[k]), in_panels(record->units[k]));
    m.bias[k] = n.bias[k];
  }
  if (record->linear)
    m.linear = linear.block(patch * in_panels(record->components), in_panels(record->components));
  return m;
}

PackedMatrix PatchesView::basis_of(size_t patch) const {
  const PatchRecord& p = patches[patch];
  return basis.block(3 * size_t{kPanelRows} * p.first_group, 3 * in_panels(p.vertices));
}

}  // namespace billow::asset
