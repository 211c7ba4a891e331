// Polygonises the zero set of an SDF and remeshes it.
#pragma once

#include "body/mesh.h"
#include "body/surface.h"

namespace billow::body {

// Marching tetrahedra on a grid whose cubes are cut into six tetrahedra along their diagonal (Doi and Koide
// 1991; Kuhn's subdivision). The result is always closed and manifold, with badly shaped triangles. `low` and
// `high` have to enclose the surface.
Mesh polygonise(const Surface& surface, V3 low, V3 high, float spacing);

struct RemeshOptions {
  size_t vertices = 7500;   // target; the result is close to it
  float shortest = 0.004f;  // m, edge length where curvature is highest
  float longest = 0.030f;   // m, edge length where the surface is flat
  int rounds = 8;
};

// Adaptive isotropic remeshing (Botsch and Kobbelt, "A Remeshing Approach to Multiresolution Modeling",
// 2004): split long edges, collapse short ones, flip edges to equalise valences, relax vertices tangentially
// and project them onto the surface. Target edge lengths shrink with curvature, so that the distance of
// triangles to the surface is about the same everywhere.
void remesh(Mesh& mesh, const Surface& surface, const RemeshOptions& options);

// Moves points onto the zero set along the gradient, by up to `steps` Newton steps.
void project(std::span<V3> points, const Surface& surface, int steps = 4);

}  // namespace billow::body
