// The local frame of a patch: at its bone, oriented by the neighbouring bones. Shared by training and
// runtime.
#pragma once

#include <cmath>

#include "core/vec.h"

namespace billow {

// The inputs of a patch are its input bones and the up direction, in its frame. The up direction is scaled to
// count as much as a bone at this distance.
inline constexpr float kUpWeight = 0.2f;  // m

// Axes: along the chain, across it, and normal to the cloth.
struct PatchFrame {
  V3 origin, along, across, normal;

  V3 to_local(V3 direction) const {
    return {dot(along, direction), dot(across, direction), dot(normal, direction)};
  }
  V3 to_world(V3 local) const { return along * local.x + across * local.y + normal * local.z; }
};

inline V3 unit_or(V3 v, V3 fallback) {
  const float l2 = dot(v, v);
  return l2 > 1e-16f ? v * (1 / std::sqrt(l2)) : fallback;
}

// From the positions of the patch's bone and its neighbours: up and down the chain, and on the neighbouring
// chains. `flipped`: the patch uses the network of its mirror image. Its left and right are then swapped and
// the normal points to the other side.
inline PatchFrame patch_frame(V3 bone, V3 above, V3 below, V3 left, V3 right, bool flipped) {
  PatchFrame f;
  f.origin = bone;
  f.along = unit_or(below - above, {0, -1, 0});
  // A single chain has no neighbours: choose a side that changes little with `along`.
  const V3 side = std::fabs(f.along.x) < 0.9f ? V3{1, 0, 0} : V3{0, 0, 1};
  const V3 normal = cross(right - left, f.along);
  f.normal =
      dot(normal, normal) > 1e-16f ? unit_or(normal, {0, 0, 1}) : unit_or(cross(side, f.along), {0, 0, 1});
  f.across = cross(f.along, f.normal);
  if (flipped) f.normal = -f.normal;
  return f;
}

}  // namespace billow
