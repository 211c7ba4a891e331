// From a signed distance to a mesh of its zero set.
#pragma once

#include "body/mesh.h"
#include "body/surface.h"

namespace billow::body {

// Marching tetrahedra on the cubes of a grid, each cut into six along its diagonal (Doi and Koide 1991; the
// cut is Kuhn's). The result is always closed and a manifold; its triangles are poor. `low` and `high` have
// to enclose the surface.
Mesh polygonise(const Surface& surface, V3 low, V3 high, float spacing);

struct RemeshOptions {
  size_t vertices = 7500;   // about as many as there will be
  float shortest = 0.004f;  // m, edges where the surface bends most
  float longest = 0.030f;   // m, edges where it is flat
  int rounds = 8;
};

// Makes good triangles: splits long edges, collapses short ones, flips those that even out the valences,
// slides vertices along the surface and brings them back onto it (Botsch and Kobbelt, "A Remeshing Approach
// to Multiresolution Modeling", 2004). Edges are the shorter the more the surface bends, so that all
// triangles are about as far from it.
void remesh(Mesh& mesh, const Surface& surface, const RemeshOptions& options);

// Brings points onto the zero set along the gradient.
void project(std::span<V3> points, const Surface& surface, int steps = 4);

}  // namespace billow::body
