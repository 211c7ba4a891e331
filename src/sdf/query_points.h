// The body's signed distance at many points, such as the vertices of a garment.
#pragma once

#include "sdf/bounds.h"
#include "sdf/yielding.h"

namespace billow {

// A body whose limbs may yield (sdf/yielding.h).
struct BodyBounds {
  ColliderBounds rigid, limbs;
  float gap = 0;  // kYieldGap at the body's scale

  BodyBounds() = default;
  BodyBounds(const PosedCollider* colliders, int count, uint32_t rigid_groups = kAllGroups,
             uint32_t yielding_groups = 0);
};
// The same bits as nearest_surface() with this limit for each point, but faster where neighbours in the array
// are neighbours in space: blocks of points test only the colliders that can be nearest to one of them.
// `points` are x y z; `gradients` (x y z) and `nearest` (collider index) may be NULL.
void query_points(const PosedCollider* colliders, const BodyBounds& bounds, const float* points, size_t count,
                  float limit, float* distances, float* gradients, int32_t* nearest);

// Points close together, as structure of arrays.
inline constexpr size_t kPointBlock = kQueryGroups * kLanesOf<F8>;
struct PointBlock {
  Vec3<F8> p[kQueryGroups];
};
// The same for up to kQueryBlocks blocks close to each other: the entries of `points` at these `indices`,
// kPointBlock per block. `points` is padded by one float. Returns one bit per group of eight points: if it is
// not set, the whole group is beyond the limit. Only for groups whose bit is set, `found` has the result and
// `blocks` the points.
inline constexpr int kQueryBlocks = 4;
uint32_t query_blocks(const PosedCollider* colliders, const BodyBounds& bounds, Ellipsoids ellipsoids,
                      const float* points, const uint32_t* indices, int count, float limit,
                      PointBlock* blocks, Nearest<F8>* found);

}  // namespace billow
