// A box round the mesh that an instance shows, or would show if the last frame had not skipped it.
#pragma once

#include "runtime/instance.h"

namespace billow {

struct Bounds {
  V3 low, high;
};

// Of points x y z, at least one.
Bounds find_bounds(const float* points, size_t count);

Bounds find_bounds(const Instance& instance);

// The largest distance of a vertex of the rest mesh to its nearest bone.
float find_bone_reach(const Garment& garment);

}  // namespace billow
