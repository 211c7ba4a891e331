// Push-out of the mesh: moves vertices that are inside the body, or nearly, out of it.
//
// Depths are compressed, not clamped: a vertex at distance phi from the surface moves to f(phi), where f is
// the identity from `softness` beyond the clearance on, increases everywhere, and stays above the clearance.
// So a wrinkle inside the body becomes a flatter wrinkle outside, and nothing jumps at first contact. The
// clearance is for edges and faces, whose middles are deeper than their ends. The first query takes a lower
// bound as the distance of an ellipsoid; vertices that were deep are queried again, exactly.
#pragma once

#include "sdf/bounds.h"
#include "sdf/query.h"

namespace billow {

struct PushOutSettings {
  float clearance = 0.002f;      // m: no vertex is nearer
  float softness = 0.004f;       // m: beyond clearance + softness, vertices are not moved
  uint32_t groups = kAllGroups;  // of colliders, one bit each: the others are ignored
};

// Vertices are queried in clusters of neighbours.
inline constexpr size_t kCluster = 32;

// An order of vertices in which each kCluster consecutive ones are close together at rest. The last cluster
// is padded with its last vertex, so `clusters` has space for whole clusters. The order does not change
// results.
void find_clusters(const float* rest, uint32_t vertices, uint32_t* clusters);

// Scratch, for all vertices.
struct PushOutScratch {
  float* distances = nullptr;
  float* gradients = nullptr;  // x y z
  float* points = nullptr;     // x y z
  uint32_t* vertices = nullptr;
};

struct PushOutResult {
  uint32_t moved = 0;
  uint32_t inside = 0;  // still inside: between colliders that leave no gap
};

// `positions` is padded by one float.
PushOutResult push_out_mesh(const PosedCollider* colliders, int collider_count, float* positions,
                            const uint32_t* clusters, size_t vertices, const PushOutSettings& settings,
                            const PushOutScratch& scratch);

}  // namespace billow
