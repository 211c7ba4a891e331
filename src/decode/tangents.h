// Tangents of vertices: which way u of the pattern runs on the cloth, for normal maps and anisotropic cloth.
//
// On a triangle the place is linear in u and v, so its derivative by u is a fixed sum of its corners. The mean over the triangles round a
// vertex, weighted by their areas on the pattern, is then a fixed sum of the vertex's neighbours: coefficients that are found once, and a row
// of them a vertex in a frame.
#pragma once

#include "core/vec.h"
#include "decode/normals.h"

namespace billow {

struct TangentRows {
  uint32_t* first = nullptr;  // of each vertex, one more than vertices
  uint32_t* neighbours = nullptr;
  float* coefficients = nullptr;
  float* side = nullptr;  // of each vertex 1; -1 where the pattern is mirrored
  uint32_t count = 0;     // of neighbours
};

// How many neighbours all vertices have. `room` as find_normal_polygons has left it, here and below.
uint32_t count_neighbours(const NormalScratch& scratch, uint32_t vertices);

// From the pattern `flat` (u v each) and the cloth at rest, which tells triangles across a seam: they are much longer on the pattern, and do
// not count. `rows` has room.
void find_tangent_rows(const NormalScratch& scratch, const float* pattern_uvs, const float* rest,
                       uint32_t vertices, TangentRows& rows);

// The tangent of a vertex: of unit length, at right angles to its normal. Both arrays have room for a float behind their last.
V3 find_tangent(const TangentRows& rows, const float* positions, const float* normals, uint32_t vertex);

}  // namespace billow
