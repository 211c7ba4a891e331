// Keeping ropes within their length in floating point.
#pragma once

#include "core/vec.h"

namespace billow {

// A length that keeps the rope within `longest` after its end points are rounded to floats: a few units in
// the last place of the coordinates shorter.
inline F4 usable_length(F4 longest, V3x4 a, V3x4 b) {
  F4 extent = max(max(abs(a.x), max(abs(a.y), abs(a.z))), max(abs(b.x), max(abs(b.y), abs(b.z))));
  return max(longest * (1.0f - 3e-7f) - extent * 2.5e-7f, longest * 0.5f);
}

// Pulls x toward the parent until the rope is within its length.
inline V3x4 limit_length(V3x4 x, V3x4 parent, F4 longest) {
  F4 reach = usable_length(longest, x, parent);
  V3x4 l = x - parent;
  F4 l2 = dot(l, l);
  M4 over = l2 > reach * reach;
  if (!any(over)) return x;
  F4 shorten = reach / sqrt(select(over, l2, splat(1.0f)));
  return select(over, parent + l * shorten, x);
}

}  // namespace billow
