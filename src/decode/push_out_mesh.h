// Push-out of the mesh: moves vertices that are inside the body, or nearly, out of it.
//
// Depths are compressed, not clamped: a vertex at distance phi from the surface moves to f(phi), where f is
// the identity from `softness` beyond the clearance on, increases everywhere, and stays above the clearance.
// So a wrinkle inside the body becomes a flatter wrinkle outside, and nothing jumps at first contact. The
// clearance is for edges and faces, whose middles are deeper than their ends. The first query takes a lower
// bound as the distance of an ellipsoid; vertices that were deep are queried again, exactly.
//
// The nearest way out of a limb that has moved into cloth leads to either side of it, and tears the cloth apart along the limb's
// axis. Where it is known where vertices were in the last frame, deep ones therefore go back the way they came, as seen from
// the collider, until they are outside.
#pragma once

#include "sdf/query_points.h"

namespace billow {

struct PushOutSettings {
  float clearance = 0.005f;      // m: no vertex is nearer
  float softness = 0.004f;       // m: beyond clearance + softness, vertices are not moved
  uint32_t groups = kAllGroups;  // of colliders, one bit each: the others are ignored
  uint32_t soft_groups = 0;      // likewise: see push_out_of_soft
  uint32_t layer_groups = 0;     // likewise, of garments under this one: vertices give way farther inside
  uint32_t yielding_groups = 0;  // likewise: see sdf/yielding.h
};

// Vertices are queried in clusters of neighbours.
inline constexpr size_t kCluster = 32;

// An order of vertices in which each kCluster consecutive ones are close together at rest. The last cluster
// is padded with its last vertex, so `clusters` has space for whole clusters. The order within a cluster does
// not change results.
void find_clusters(const float* rest, uint32_t vertices, uint32_t* clusters);

// Scratch, for all vertices.
struct PushOutScratch {
  float* distances = nullptr;
  float* gradients = nullptr;  // x y z
  float* points = nullptr;     // x y z
  uint32_t* vertices = nullptr;
};

// Where vertices were in the last frame, in the frame of a joint at that time.
inline constexpr float kPlaceUnit = 1e-4f;  // m at scale 1
struct LastPlaces {
  const int16_t* places = nullptr;  // x y z in units; null: unknown
  float scale = 1;
  Transform joint{};

  V3 world(uint32_t v) const {
    const int16_t* p = places + 3 * size_t{v};
    return apply(joint, V3{static_cast<float>(p[0]), static_cast<float>(p[1]), static_cast<float>(p[2])} *
                            (kPlaceUnit * scale));
  }
};

struct PushOutResult {
  uint32_t moved = 0;
  uint32_t inside = 0;  // still inside: between colliders that leave no gap
  // With `last`: as many of scratch.vertices are between colliders that push them back and forth, and are left there.
  uint32_t pinched = 0;
};

// Moves vertices that are a little inside soft colliders or layers out of them, and less the deeper they are: what has come through
// a limb by half is let through, and so is what a garment that turns up has left far behind. `positions` is padded by one float.
void push_out_of_soft(const PosedCollider* colliders, int collider_count, float* positions,
                      const uint32_t* clusters, size_t vertices, const PushOutSettings& settings,
                      float scale);

// `positions` is padded by one float. With `last`, colliders are posed with their motion since the last frame.
PushOutResult push_out_mesh(const PosedCollider* colliders, int collider_count, float* positions,
                            const uint32_t* clusters, size_t vertices, const PushOutSettings& settings,
                            const PushOutScratch& scratch, const LastPlaces& last = {});

}  // namespace billow
