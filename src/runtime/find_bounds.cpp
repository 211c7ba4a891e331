#include "runtime/find_bounds.h"

#include <algorithm>
#include <cmath>

namespace billow {
namespace {

V3 smaller(V3 a, V3 b) { return {std::min(a.x, b.x), std::min(a.y, b.y), std::min(a.z, b.z)}; }
V3 larger(V3 a, V3 b) { return {std::max(a.x, b.x), std::max(a.y, b.y), std::max(a.z, b.z)}; }

}  // namespace

Bounds find_bounds(const float* points, size_t count) {
  // Four points are three registers x y z x, y z x y, z x y z: no coordinate has to change its place.
  V3 low{points[0], points[1], points[2]}, high = low;
  F4 lows[3], highs[3];
  float ends[3 * kLanes];
  for (int k = 0; k < 3 * kLanes; ++k) ends[k] = points[k % 3];
  for (int k = 0; k < 3; ++k) lows[k] = highs[k] = load(ends + kLanes * k);
  const size_t whole = count / kLanes * kLanes;
  for (const float *p = points, *end = points + 3 * whole; p != end; p += 3 * kLanes)
    for (int k = 0; k < 3; ++k) {
      const F4 values = load(p + kLanes * k);
      lows[k] = min(values, lows[k]), highs[k] = max(values, highs[k]);
    }
  // The four lanes of each coordinate, then the points that are left.
  const auto add = [&](const float* p) {
    const V3 point{p[0], p[1], p[2]};
    low = smaller(low, point), high = larger(high, point);
  };
  for (const auto& rows : {lows, highs}) {
    for (int k = 0; k < 3; ++k) store(ends + kLanes * k, rows[k]);
    for (int k = 0; k < kLanes; ++k) add(ends + 3 * k);
  }
  for (size_t v = whole; v < count; ++v) add(points + 3 * v);
  return {low, high};
}

Bounds find_bounds(const Instance& i) {
  if (!i.skipped_mesh) return find_bounds(i.positions, i.garment->vertices());
  Bounds b{i.bones[0], i.bones[0]};
  for (uint32_t k = 1; k < i.garment->bones(); ++k)
    b.low = smaller(b.low, i.bones[k]), b.high = larger(b.high, i.bones[k]);
  const float reach = i.garment->bone_reach * i.chains->settings.scale;
  const V3 margin{reach, reach, reach};
  return {b.low - margin, b.high + margin};
}

float find_bone_reach(const Garment& g) {
  float reach2 = 0;
  uint32_t near = 0;  // vertices that follow each other mostly have the same nearest bone
  for (uint32_t v = 0; v < g.vertices(); ++v) {
    const float* p = &g.view.rest[3 * size_t{v}];
    const auto distance2 = [&](uint32_t b) {
      const V3 d = V3{p[0], p[1], p[2]} - g.bone_rest[b];
      return dot(d, d);
    };
    if (distance2(near) <= reach2) continue;
    for (uint32_t b = 0; b < g.bones(); ++b)
      if (distance2(b) < distance2(near)) near = b;
    reach2 = std::max(reach2, distance2(near));
  }
  return std::sqrt(reach2);
}

}  // namespace billow
