// The outside of a garment that is worn, as a collider for what is worn over it: a grid of signed distances (sdf/grid.h) round the
// mesh that is shown, in the frame of the key joint.
//
// No vertex of the mesh is outside the interpolated surface: each lowers the eight grid points around it to their height over it,
// along the mean normal of its cluster. Folds narrower than a cluster are bridged, as cloth bridges folds that it lies on. All other
// points of the grid take side and distance from their nearest neighbours that have them. What is up to kLayerDepth behind the mesh
// is inside, and the way out leads through it; farther behind, as in the middle of a wide skirt, the way out leads away from it.
// Past the edges of the cloth nothing is inside.
#pragma once

#include "core/arena.h"
#include "runtime/instance.h"

namespace billow {

// m at scale 1: between grid points (more for a mesh that is wider than expected), and see above.
inline constexpr float kLayerSpacing = 0.05f, kLayerDepth = 0.15f;

// A vertex on an edge of the cloth, and one beside it that is farther in.
struct LayerEdge {
  uint32_t vertex, inner;
};

// A cell of the grid.
struct LayerCell {
  float highest = -kFarAway;  // of its vertices along that
  bool occupied = false;
};

struct Layer {
  const Garment* garment = nullptr;
  LayerEdge* edges = nullptr;
  size_t edge_count = 0;
  size_t capacity = 0;        // grid points
  int16_t* values = nullptr;  // of the grid
  int16_t* fixed = nullptr;   // scratch: whether a value follows from vertices
  // Scratch: cells, those that hold vertices, and that of each vertex.
  LayerCell* cells = nullptr;
  V3 *directions = nullptr, *copy = nullptr;
  uint32_t *occupied = nullptr, *cell_of_vertex = nullptr;
  size_t occupied_count = 0;
  float* points = nullptr;    // scratch: vertices in the frame of the key joint at scale 1
  Transform key{};            // motion of the key joint at the last pose
};

// Two passes over one function: measure with a null arena, then build in memory. `garment` has to be set.
void build(Layer& layer, Arena& arena);

// Puts the layer where the instance shows its mesh, as the one collider of `body`, which has none before a mesh is shown.
void pose_layer(Layer& layer, const Instance& inner, Body& body);

}  // namespace billow
