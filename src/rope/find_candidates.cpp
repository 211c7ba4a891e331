// Broad phase: the colliders that can touch the four bones of one level and group, their ropes and lateral
// segments in a sub-step.
//
// One sphere contains all positions that the bones can reach and the segments between them. It is tested
// against the bounding capsules of the colliders, four at a time.
#include <bit>

#include "rope/collide.h"

namespace billow {
namespace {

// Bounding sphere of the lanes in `used`, each with its reach.
struct Sphere {
  V3 centre{0, 0, 0};
  float radius = -1;
};

Sphere bounding_sphere(V3x4 x, F4 reach, M4 used) {
  const int n = std::popcount(static_cast<unsigned>(bits(used)));
  if (n == 0) return {};
  const auto mean = [&](F4 row) {
    float v[kLanes];
    store(v, select(used, row, zero()));
    return (v[0] + v[1] + v[2] + v[3]) * (1.0f / static_cast<float>(n));
  };
  const V3 centre{mean(x.x), mean(x.y), mean(x.z)};
  return {centre, horizontal_max(select(used, length(x - splat(centre)) + reach, zero()))};
}

}  // namespace

void find_candidates(ChainSet& set, int level, int group, float beyond) {
  const size_t at = set.layout.group_at(level, group);
  V3x4 x = load(set.x, at), parent = load(set.x, at - static_cast<size_t>(set.layout.pitch));
  M4 used = load(set.w + at) > 0.0f;
  // Wherever a bone ends up, it is within its rope's length of its parent.
  F4 reach = load(set.max_length + at) + load(set.radius + at) + beyond;
  if (set.layout.neighbours && set.settings.lateral_samples > 0)
    reach += max(load(set.lateral_longest + at), length(load(set.x, at + 1) - x));
  F4 moved = select(used, length(x - load(set.x_before, at) - splat(set.common_motion)), zero());
  const Sphere sphere = bounding_sphere(parent, reach, used);
  const float farthest = set.settings.swept ? horizontal_max(moved) : -kFarAway;

  BroadPhase& out = set.broad_phase[group];
  out.swept_count = 0;
  for (uint64_t& bits : out.overlapping) bits = 0;
  out.empty = true;
  if (sphere.radius < 0) return;
  const ColliderBounds& b = set.bounds;
  for (int i = 0; i < b.count; i += kLanes) {
    F4 apart = least_distances(b, i, sphere.centre) - sphere.radius;
    F4 path = farthest + load(b.travel + i);
    const M4 overlapping = apart < 0.0f, swept = (path > load(b.half_thickness + i)) & (apart < path);
    if (!any(overlapping | swept)) continue;
    out.empty = false;
    out.overlapping[i / 64] |= static_cast<uint64_t>(bits(overlapping)) << i % 64;
    for (unsigned left = static_cast<unsigned>(bits(swept)); left; left &= left - 1)
      out.swept[out.swept_count++] = static_cast<uint8_t>(i + std::countr_zero(left));
  }
}

}  // namespace billow
