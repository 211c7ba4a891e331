// Normals of vertices: the mean of the normals of the triangles around, weighted by their areas.
//
// The triangles round a vertex fill a polygon, and the sum of their area vectors is that of the polygon. A quadrangle has half the
// cross product of its diagonals; so six neighbours cost two cross products instead of six, and every vertex is found by reading
// its neighbours, without adding anything to anybody else's sum.
#pragma once

#include "core/vec.h"

namespace billow {

inline constexpr int kPolygon = 6;

// The polygon p0 .. p5 round each vertex as two quadrangles, p0 p1 p2 p3 and p0 p3 p4 p5; smaller ones repeat their last corner. Four
// vertices stand together, corner after corner.
struct NormalPolygons {
  // What does not fit: more corners, and further polygons of the same vertex.
  struct More {
    uint32_t vertex;
    uint32_t corner[4];
  };
  uint32_t vertices = 0;
  uint32_t* corners = nullptr;  // kPolygon for each vertex, rounded up to groups of lanes
  uint8_t* in_rows =
      nullptr;  // for each group of lanes 1: every corner of its vertices is four in a row; null: none
  More* more = nullptr;  // in the order of vertices
  uint32_t more_count = 0;
};

// Room to find them: `first` one more than vertices, `corners` six a triangle.
struct NormalScratch {
  uint32_t* first = nullptr;
  uint32_t* corners = nullptr;
};

// Finds the polygons of a mesh. With null pointers in `polygons` it only counts `more`. Triangles that form no polygon round
// a vertex (three at one edge, turned over) are taken one by one.
void find_normal_polygons(const uint32_t* triangles, uint32_t triangle_count, uint32_t vertices,
                          const NormalScratch& scratch, NormalPolygons& polygons);

// Unit normals, on the side from which triangles run counter-clockwise; 0 1 0 where there is none. `positions` has room for a
// float behind its last, `normals` for a group of lanes.
void find_normals(const NormalPolygons& polygons, const float* positions, float* normals);

}  // namespace billow
