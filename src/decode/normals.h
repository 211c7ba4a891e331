// Vertex normals: the mean of the normals of adjacent triangles, weighted by area.
//
// The triangles round a vertex fill a polygon, and the sum of their area vectors is that of the polygon. The
// area vector of a quadrilateral is half the cross product of its diagonals. So six neighbours cost two cross
// products instead of six, and each vertex only reads its neighbours: nothing is scattered.
#pragma once

#include "core/vec.h"

namespace billow {

inline constexpr int kPolygon = 6;

// The polygon p0 .. p5 round each vertex as two quadrilaterals, p0 p1 p2 p3 and p0 p3 p4 p5; smaller polygons
// repeat their last corner.
struct NormalPolygons {
  // A quadrilateral that does not fit: of a polygon with more corners, or of a further polygon of the same
  // vertex.
  struct More {
    uint32_t vertex;
    uint32_t corner[4];
  };
  uint32_t vertices = 0;
  // Group by group of kLanes vertices: corner 0 of each vertex, then corner 1, up to kPolygon. The last group
  // is padded.
  uint32_t* corners = nullptr;
  // Per group, 1 if each corner of its vertices is kLanes consecutive vertices, which load faster. Null: not
  // used.
  uint8_t* in_rows = nullptr;
  More* more = nullptr;  // in the order of vertices
  uint32_t more_count = 0;
};

// Scratch to find them: `first` has vertices + 1 entries, `corners` six per triangle.
struct NormalScratch {
  uint32_t* first = nullptr;
  uint32_t* corners = nullptr;
};

// Finds the polygons of a mesh. With null pointers in `polygons` it only counts `more`. Triangles that form
// no polygon round a vertex (three at one edge, opposite winding) become polygons of their own.
void find_normal_polygons(const uint32_t* triangles, uint32_t triangle_count, uint32_t vertices,
                          const NormalScratch& scratch, NormalPolygons& polygons);

// Unit normals, on the side from which triangles are counter-clockwise; 0 1 0 where undefined. `positions` is
// padded by one float, `normals` by kLanes vertices.
void find_normals(const NormalPolygons& polygons, const float* positions, float* normals);

}  // namespace billow
