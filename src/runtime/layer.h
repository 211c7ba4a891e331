// The outside of a garment that is worn, as a collider for what is worn over it: a grid of signed distances (sdf/grid.h) round the
// mesh that is shown, in the frame of the key joint.
//
// Cloth that lies on folds bridges them. So the surface is smooth: at each grid point a plane through the vertices within some 10 cm,
// moved outwards by twice the standard deviation of their heights over such planes. It depends smoothly on the vertices, so that
// what it pushes does not jump. Past the edges of the cloth it ends. Points of the grid without vertices nearby take side and
// distance from their neighbours, to a depth of kLayerDepth; farther behind the cloth the way out leads away from it.
#pragma once

#include "core/arena.h"
#include "runtime/instance.h"

namespace billow {

// m at scale 1: between grid points (more for a mesh that is wider than expected), and see above.
inline constexpr float kLayerSpacing = 0.05f, kLayerDepth = 0.15f;

inline constexpr uint32_t kLayerGroups = 1u << 6;  // a bit: BILLOW_COLLIDER_GROUP_CLOTH

// A vertex on an edge of the cloth, and one beside it that is farther in.
struct LayerEdge {
  uint32_t vertex, inner;
};

// Weighted sums around a grid point.
struct LayerSums {
  float directions[3], places[3], weight, unused;
};

struct Layer {
  const Garment* garment = nullptr;
  LayerEdge* edges = nullptr;
  size_t edge_count = 0;
  size_t capacity = 0;        // grid points
  int16_t* values = nullptr;  // of the grid
  // Scratch, by grid point but for the vertices in the frame of the key joint at scale 1.
  LayerSums *sums = nullptr, *before = nullptr;
  float *heights = nullptr, *squares = nullptr, *past = nullptr;
  int16_t* fixed = nullptr;  // whether the value follows from vertices nearby
  float* points = nullptr;
};

// Two passes over one function: measure with a null arena, then build in memory. `garment` has to be set.
void build(Layer& layer, Arena& arena);

// Puts the layer where the instance shows its mesh, as the one collider of `body`, which has none before a mesh is shown.
void pose_layer(Layer& layer, const Instance& inner, Body& body);

}  // namespace billow
