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

// Points that lie together, as rows.
inline constexpr size_t kPointBlock = kQueryGroups * kLanesOf<F8>;
struct PointBlock {
  Vec3<F8> p[kQueryGroups];
};
// The same for up to kQueryBlocks of them that lie near each other: those of `points` that have these `numbers`, kPointBlock a block.
// There is room for a float behind the last point. Groups of eight without a bit in the result are all beyond the limit, and nothing
// is said about them; for the others there is what was found, and in `blocks` where they are.
inline constexpr int kQueryBlocks = 4;
uint32_t query_blocks(const PosedCollider* colliders, const ColliderBounds& bounds, Ellipsoids ellipsoids,
                      const float* points, const uint32_t* numbers, int count, float limit,
                      PointBlock* blocks, Nearest<F8>* found);

}  // namespace billow
