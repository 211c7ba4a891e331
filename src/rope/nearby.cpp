// Which colliders matter to the four bones of one level and group, their ropes and lateral segments in a
// sub-step.
//
// One sphere holds wherever the bones can end up and whatever hangs between them; it is tested against the
// colliders' bounding capsules, four of them at a time.
#include "rope/collide.h"

namespace billow {
namespace {

// A sphere around four points; lanes not in `used` do not count.
struct Sphere {
  V3 centre{0, 0, 0};
  float radius = -1;
};

Sphere around_lanes(V3x4 x, F4 reach, M4 used) {
  float px[4], py[4], pz[4], r[4];
  store(px, x.x);
  store(py, x.y);
  store(pz, x.z);
  store(r, reach);
  const int mask = bits(used);
  Sphere s;
  int n = 0;
  for (int k = 0; k < kLanes; ++k) {
    if (!(mask >> k & 1)) continue;
    s.centre += V3{px[k], py[k], pz[k]};
    ++n;
  }
  if (n == 0) return s;
  s.centre = s.centre * (1.0f / static_cast<float>(n));
  for (int k = 0; k < kLanes; ++k) {
    if (!(mask >> k & 1)) continue;
    float needed = length(V3{px[k], py[k], pz[k]} - s.centre) + r[k];
    s.radius = needed > s.radius ? needed : s.radius;
  }
  return s;
}

}  // namespace

void find_nearby(ChainSet& set, int level, int group) {
  const size_t at = set.layout.group_at(level, group);
  V3x4 x = load(set.x, at), parent = load(set.x, at - static_cast<size_t>(set.layout.pitch));
  M4 used = load(set.w + at) > 0.0f;
  // Wherever a bone ends up, it is within its rope's length of its parent.
  F4 reach = load(set.max_length + at) + load(set.radius + at);
  if (set.layout.neighbours && set.settings.lateral_samples > 0)
    reach += max(load(set.lateral_longest + at), length(load(set.x, at + 1) - x));
  F4 moved = select(used, length(x - load(set.x_before, at) - splat(set.common_motion)), zero());
  const Sphere sphere = around_lanes(parent, reach, used);
  const float farthest = set.settings.swept ? horizontal_max(moved) : -kFarAway;

  Nearby& out = set.nearby[group];
  out.touching_count = out.crossing_count = 0;
  if (sphere.radius < 0) return;
  const ColliderBounds& b = set.bounds;
  for (int i = 0; i < b.count; i += kLanes) {
    F4 apart = distance_from_axes(b, i, sphere.centre) - load(b.radius + i) - sphere.radius;
    F4 path = farthest + load(b.travel + i);
    const int touching = bits(apart < 0.0f), crossing = bits((path > load(b.thinnest + i)) & (apart < path));
    if (!(touching | crossing)) continue;
    for (int k = 0; k < kLanes; ++k) {
      out.touching[out.touching_count] = out.crossing[out.crossing_count] = static_cast<uint8_t>(i + k);
      out.touching_count += touching >> k & 1;
      out.crossing_count += crossing >> k & 1;
    }
  }
}

}  // namespace billow
