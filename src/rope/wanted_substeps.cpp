// Two motions need short steps, besides springs (stages.h). Ropes rotate. And bones on a taut rope swing sideways like beads on a string;
// explicit steps longer than 2 / omega add energy to that (the energy guard then removes it, and bones
// tremble). The fastest swing of a chain that hangs at rest is no faster than omega^2 = 2 max T (w_i +
// w_{i-1}) / L, where T is the weight that hangs on the rope.
#include <algorithm>
#include <cmath>

#include "rope/stages.h"

namespace billow {
namespace {

constexpr float kSwing = 1.5f;  // phase of the fastest swing in a sub-step, rad

}  // namespace

float wanted_substeps(const ChainSet& set, float dt) {
  const Layout& lay = set.layout;
  F4 rotation2 = zero(), swing2 = zero();  // squared angular velocities, rad/s; swinging without 2 g
  for (int g = 0; g < lay.groups(); ++g) {
    F4 hanging_mass = zero();
    for (int i = lay.levels - 1; i > 0; --i) {
      size_t at = lay.group_at(i, g), up = at - static_cast<size_t>(lay.pitch);
      F4 longest = load(set.max_length + at), w = load(set.w + at);
      V3x4 u = load(set.v, at) - load(set.v, up);
      M4 moves = w > 0.0f;
      hanging_mass += select(moves, load(set.mass + at), zero());
      rotation2 = max(rotation2, select(moves, dot(u, u) / (longest * longest), zero()));
      swing2 = max(swing2, select(moves, hanging_mass * (w + load(set.w + up)) / longest, zero()));
    }
  }
  const float omega = std::sqrt(2 * length(set.settings.gravity) * horizontal_max(swing2));
  const bool springs = lay.neighbours && (set.settings.has_lateral || set.settings.has_shear);
  const float per_second =
      std::max(std::sqrt(horizontal_max(rotation2)) / set.settings.substep_angle, omega / kSwing);
  // Rounding of dt must not cost a sub-step.
  return dt * std::max(per_second, springs ? 0.999f / kSpringStep : 0.0f);
}

}  // namespace billow
