// The last word on penetration: vertices that are inside the body, or nearly, leave it.
//
// Depths are compressed, not cut off: a vertex at distance phi from the surface goes to f(phi), where f is the identity from
// `softness` beyond the clearance on, rises everywhere, and never falls to the clearance. So what was a wrinkle inside the body is
// a flatter wrinkle outside, and nothing jumps when it begins to touch. The clearance is there for edges and faces, whose middles
// are deeper than their ends. Ellipsoids count by their bounds, which are no more than distances; what was deep is asked about again, exactly.
#pragma once

#include "sdf/bounds.h"
#include "sdf/query.h"

namespace billow {

struct PushOutSettings {
  float clearance = 0.002f;  // m: no vertex is nearer
  float softness = 0.004f;   // m: from so much farther on it is left alone
};

// Vertices that lie together are asked about together.
inline constexpr size_t kCluster = 32;

// An order of vertices in which each kCluster of them lie together at rest; the last cluster is filled up with its last vertex, so
// there has to be room for whole clusters. Which order it is changes no result.
void find_clusters(const float* rest, uint32_t vertices, uint32_t* clusters);

// Room for all vertices.
struct PushOutScratch {
  float* distances = nullptr;
  float* gradients = nullptr;  // x y z
  float* points = nullptr;     // x y z
  uint32_t* vertices = nullptr;
};

struct PushOutResult {
  uint32_t moved = 0;
  uint32_t inside = 0;  // still: between colliders that leave no room
};

// `positions` has room for a float behind its last.
PushOutResult push_out_mesh(const PosedCollider* colliders, int collider_count, float* positions,
                            const uint32_t* clusters, size_t vertices, const PushOutSettings& settings,
                            const PushOutScratch& scratch);

}  // namespace billow
