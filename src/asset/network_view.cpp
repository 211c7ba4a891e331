// Networks and tiles of the file as the types that the runtime evaluates.
#include <algorithm>

#include "asset/garment_view.h"

namespace billow::asset {

Mlp NetworkView::mlp() const {
  Mlp m;
  m.inputs = record->inputs, m.outputs = record->outputs, m.layers = record->layers;
  m.activation = static_cast<ActivationKind>(record->activation);
  m.mean = mean.data(), m.scale = scale.data();
  for (uint32_t k = 0; k < m.layers; ++k) m.layer[k] = layer[k], m.bias[k] = bias[k].data();
  m.linear = linear;
  precompute(m);
  return m;
}

Mlp PatchesView::mlp() const {
  const PatchParameters n = parameters_of(0);
  Mlp m;
  m.inputs = inputs(), m.outputs = record->coefficients(), m.layers = record->layers;
  m.activation = static_cast<ActivationKind>(record->activation);
  m.mean = n.mean, m.scale = n.scale, m.linear_bias = n.linear_bias;
  m.vector_stride = network_stride();
  for (uint32_t k = 0; k < m.layers; ++k) {
    m.layer[k] = layer[k].block(0, round_up_to_panels(record->units[k]));
    m.bias[k] = n.bias[k];
  }
  if (record->linear) m.linear = linear.block(0, round_up_to_panels(record->coefficients()));
  precompute(m);
  return m;
}

TiledBasis PatchesView::tiled() const {
  uint32_t max_blocks = 0;
  for (const TileRecord& t : tiles) max_blocks = std::max(max_blocks, t.blocks);
  return {basis, tiles.data(), blocks.data(), max_blocks};
}

}  // namespace billow::asset
