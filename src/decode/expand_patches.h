// From the patches' coordinates to the vertices of the cloth: each vertex is the mean of what its patches say, by their shares.
#pragma once

#include "decode/patch_frame.h"
#include "net/matrix.h"

namespace billow {

// Four floats a vertex, and one more vertex for whatever fills up groups.
void clear_places(float* sums, size_t vertices);

// Adds one patch's part. `local`: for each group of kPanelRows vertices their coordinates along, across and off, which may be in
// whole steps. The frame leads from these to what is summed up.
template <class Number>
void add_patch(const Number* local, const uint32_t* vertices, const float* shares, size_t groups,
               const PatchFrame& frame, float* sums);

// Places in the world (x y z each), from sums relative to `origin`. `positions` has room for a vertex more. Whatever networks say,
// places are within 10 km of it: what is no number counts as -10 km.
void finish_places(const float* sums, size_t vertices, V3 origin, float* positions);

}  // namespace billow
