// The body's signed distance at many points, such as the vertices of a garment.
#pragma once

#include "sdf/bounds.h"
#include "sdf/query.h"

namespace billow {

// As nearest_surface() with a limit for each point, to the bit, but faster where neighbours in the array are neighbours in
// space: blocks of points look only at the colliders that can be nearest to any of them. `points` are x y z;
// `gradients` (x y z) and `nearest` (the collider) may be NULL.
void query_points(const PosedCollider* colliders, const ColliderBounds& bounds, const float* points,
                  size_t count, float limit, float* distances, float* gradients, int32_t* nearest);

}  // namespace billow
