// Two things call for short steps. Ropes turn. And bones on a taut rope swing sideways like beads on a string, which explicit steps
// feed that cover too much of a swing (more than 2 / omega; the energy guard then takes it out again, and bones tremble). The fastest
// swing there is, hanging at rest, is no faster than omega^2 = 2 max T (w_i + w_{i-1}) / L, where T is the weight of what hangs on the rope.
#include <algorithm>
#include <cmath>

#include "rope/stages.h"

namespace billow {
namespace {

constexpr float kSwing = 1.5f;  // rad of the fastest swing in a sub-step

}  // namespace

float wanted_substeps(const ChainSet& set, float dt) {
  const Layout& lay = set.layout;
  F4 turning = zero(), swinging = zero();  // squares of radians a second
  for (int g = 0; g < lay.groups(); ++g) {
    F4 hanging = zero();
    for (int i = lay.levels - 1; i > 0; --i) {
      size_t at = lay.group_at(i, g), up = at - static_cast<size_t>(lay.pitch);
      F4 longest = load(set.max_length + at), w = load(set.w + at);
      V3x4 u = load(set.v, at) - load(set.v, up);
      M4 moves = w > 0.0f;
      hanging += select(moves, load(set.mass + at), zero());
      turning = max(turning, select(moves, dot(u, u) / (longest * longest), zero()));
      swinging = max(swinging, select(moves, hanging * (w + load(set.w + up)) / longest, zero()));
    }
  }
  const float omega = std::sqrt(2 * length(set.settings.gravity) * horizontal_max(swinging));
  return dt * std::max(std::sqrt(horizontal_max(turning)) / set.settings.substep_angle, omega / kSwing);
}

}  // namespace billow
