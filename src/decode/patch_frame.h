// How a patch of the cloth lies: at its bone, and turned as the bones around it are. Learning and the frame have this in common.
#pragma once

#include <cmath>

#include "core/vec.h"

namespace billow {

// What a patch goes by is where it sees bones, and which way is up: a direction that weighs as much as a bone this far away.
inline constexpr float kUpWeight = 0.2f;  // m

// Columns along the chain, across, and off the cloth.
struct PatchFrame {
  V3 origin, along, across, normal;

  V3 to_local(V3 direction) const {
    return {dot(along, direction), dot(across, direction), dot(normal, direction)};
  }
  V3 to_world(V3 local) const { return along * local.x + across * local.y + normal * local.z; }
};

inline V3 unit_or(V3 v, V3 otherwise) {
  const float l2 = dot(v, v);
  return l2 > 1e-16f ? v * (1 / std::sqrt(l2)) : otherwise;
}

// From where the patch's bone and its neighbours are: up and down the chain, and on the chains beside it. `flipped`: the frame is the one that is
// seen in a mirror, whose left and right are given.
inline PatchFrame patch_frame(V3 bone, V3 above, V3 below, V3 left, V3 right, bool flipped) {
  PatchFrame f;
  f.origin = bone;
  f.along = unit_or(below - above, {0, -1, 0});
  // A single chain has no side: take one that changes little with it.
  const V3 side = std::fabs(f.along.x) < 0.9f ? V3{1, 0, 0} : V3{0, 0, 1};
  const V3 normal = cross(right - left, f.along);
  f.normal =
      dot(normal, normal) > 1e-16f ? unit_or(normal, {0, 0, 1}) : unit_or(cross(side, f.along), {0, 0, 1});
  f.across = cross(f.along, f.normal);
  if (flipped) f.normal = -f.normal;
  return f;
}

}  // namespace billow
