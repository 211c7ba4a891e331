#include "rope/stages.h"

namespace billow {

float wanted_substeps(const ChainSet& set, float dt) {
  const Layout& lay = set.layout;
  F4 most = zero();
  for (int i = 1; i < lay.levels; ++i) {
    for (int g = 0; g < lay.groups(); ++g) {
      size_t at = lay.group_at(i, g), up = at - static_cast<size_t>(lay.pitch);
      F4 longest = load(set.max_length + at);
      V3x4 u = load(set.v, at) - load(set.v, up);
      most = max(most, select(load(set.w + at) > 0.0f, dot(u, u) / (longest * longest), zero()));
    }
  }
  return std::sqrt(horizontal_max(most)) * dt / set.settings.substep_angle;
}

}  // namespace billow
