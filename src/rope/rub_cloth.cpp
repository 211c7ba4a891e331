// Friction within cloth, as if folds rubbed on each other: the same deceleration at any speed, relative to the root.
// It stops chains within seconds, as real cloth stops. Drag alone, quadratic in the speed, leaves a cape swinging at
// 0.2 m/s five seconds after a stop. In motion it is 4 to 6 % of the weight.
#include "rope/stages.h"

namespace billow {

void rub_cloth(ChainSet& set, float dt) {
  constexpr float kFriction = 0.35f,
                  kWithLearntForce = 0.6f;  // m/s2; a learnt force carries part of the weight
  const Layout& lay = set.layout;
  const float most = (set.has_learnt ? kWithLearntForce : kFriction) * dt;
  for (int g = 0; g < lay.groups(); ++g) {
    V3x4 root = load(set.v, lay.group_at(0, g));
    for (int i = 1; i < lay.levels; ++i) {
      size_t at = lay.group_at(i, g);
      V3x4 v = load(set.v, at), u = v - root;
      F4 lost = splat(most) / max(length(u), most);
      store(set.v, at, select(load(set.w + at) > 0.0f, v - u * lost, v));
    }
  }
}

}  // namespace billow
