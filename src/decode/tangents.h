// Vertex tangents: the direction of the pattern's u on the cloth, for normal maps and anisotropic materials.
//
// On a triangle, position is linear in u and v, so its derivative by u is a fixed linear combination of the
// corners. The mean over the triangles round a vertex, weighted by their pattern areas, is then a fixed
// linear combination of the vertex's neighbours. The coefficients are computed once; a frame evaluates one
// row of them per vertex.
#pragma once

#include "core/vec.h"
#include "decode/normals.h"

namespace billow {

struct TangentRows {
  uint32_t* first = nullptr;  // entry of each vertex; vertices + 1 of them
  uint32_t* neighbours = nullptr;
  float* coefficients = nullptr;
  float* side = nullptr;  // per vertex 1, or -1 where the pattern is mirrored
  uint32_t count = 0;     // of entries
};

// Number of neighbours of all vertices together. `scratch` is as find_normal_polygons left it, here and
// below.
uint32_t count_neighbours(const NormalScratch& scratch, uint32_t vertices);

// From the pattern (u v per vertex) and the rest positions. Triangles across a seam of the pattern are much
// longer there than at rest, and are left out. The arrays of `rows` are allocated by the caller.
void find_tangent_rows(const NormalScratch& scratch, const float* pattern_uvs, const float* rest,
                       uint32_t vertices, TangentRows& rows);

// Unit tangent of a vertex, orthogonal to its normal. Both arrays are padded by one float.
V3 find_tangent(const TangentRows& rows, const float* positions, const float* normals, uint32_t vertex);

}  // namespace billow
