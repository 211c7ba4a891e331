#include "decode/normals.h"

namespace billow {
namespace {

constexpr uint32_t kMaxAround = 64;  // triangles of a vertex that are sorted; more are taken one by one

// Writes the polygons round one vertex as quadrilaterals.
class Polygons {
 public:
  Polygons(NormalPolygons& out, uint32_t vertex) : out_(out), vertex_(vertex) {}

  // Adds a polygon of at least three corners. The first of a vertex fills its slot; what does not fit goes to
  // `more`.
  void add(const uint32_t* p, uint32_t count) {
    uint32_t next = 3;
    if (first_) {
      const auto corner = [&](uint32_t k) { return p[k < count ? k : count - 1]; };
      if (out_.corners)
        for (uint32_t k = 0; k < kPolygon; ++k) *slot(k) = corner(k);
      next = kPolygon - 1;
      first_ = false;
    } else {
      add_more(p[0], p[1], p[2], p[count > 3 ? 3 : 2]);
    }
    for (; next + 1 < count; next += 2)
      add_more(p[0], p[next], p[next + 1], p[next + 2 < count ? next + 2 : next + 1]);
  }
  // A vertex without triangles repeats one corner.
  void finish(uint32_t corner) {
    if (first_ && out_.corners)
      for (uint32_t k = 0; k < kPolygon; ++k) *slot(k) = corner;
  }

 private:
  uint32_t* slot(uint32_t corner) {
    return out_.corners + vertex_ / kLanes * kLanes * kPolygon + corner * kLanes + vertex_ % kLanes;
  }
  void add_more(uint32_t a, uint32_t b, uint32_t c, uint32_t d) {
    if (out_.more) out_.more[out_.more_count] = {vertex_, {a, b, c, d}};
    ++out_.more_count;
  }

  NormalPolygons& out_;
  uint32_t vertex_;
  bool first_ = true;
};

// Joins the edges (a, b) opposite a vertex end to start, and adds the results as polygons.
void add_around(NormalPolygons& out, uint32_t vertex, uint32_t* edges, uint32_t count) {
  Polygons polygons(out, vertex);
  for (; count > kMaxAround; --count) {
    const uint32_t triangle[3] = {vertex, edges[2 * count - 2], edges[2 * count - 1]};
    polygons.add(triangle, 3);
  }
  bool used[kMaxAround] = {};
  for (;;) {
    // Start at an edge without predecessor, or at any edge if there is none.
    uint32_t start = count;
    for (uint32_t i = 0; i < count; ++i) {
      if (used[i]) continue;
      bool has_predecessor = false;
      for (uint32_t j = 0; j < count; ++j) has_predecessor |= !used[j] && edges[2 * j + 1] == edges[2 * i];
      if (start == count || !has_predecessor) start = i;
      if (!has_predecessor) break;
    }
    if (start == count) break;
    uint32_t ring[kMaxAround + 2] = {}, size = 0;
    ring[size++] = vertex;
    ring[size++] = edges[2 * start];
    for (uint32_t next = start; next < count;) {
      used[next] = true;
      const uint32_t end = edges[2 * next + 1];
      ring[size++] = end;
      next = count;
      for (uint32_t j = 0; j < count && end != ring[1]; ++j)
        if (!used[j] && edges[2 * j] == end) next = j;
    }
    // In a closed ring the vertex itself is not a corner, and the last corner repeats the first.
    const bool closed = size > 3 && ring[size - 1] == ring[1];
    polygons.add(ring + closed, closed ? size - 2 : size);
  }
  polygons.finish(vertex);
}

// A point; the fourth lane is whatever follows it in memory.
inline F4 load_corner(const float* positions, uint32_t vertex) {
  return load(positions + 3 * size_t{vertex});
}

inline V3x4 load_corners(const float* positions, const uint32_t* corners) {
  F4 a = load_corner(positions, corners[0]), b = load_corner(positions, corners[1]),
     c = load_corner(positions, corners[2]), d = load_corner(positions, corners[3]);
  transpose(a, b, c, d);
  return {a, b, c};
}

V3 corner(const float* positions, uint32_t v) {
  const float* p = positions + 3 * size_t{v};
  return {p[0], p[1], p[2]};
}

}  // namespace

void find_normal_polygons(const uint32_t* triangles, uint32_t triangle_count, uint32_t vertices,
                          const NormalScratch& scratch, NormalPolygons& polygons) {
  polygons.vertices = vertices;
  polygons.more_count = 0;
  // Sort the corners of triangles by vertex.
  for (uint32_t v = 0; v <= vertices; ++v) scratch.first[v] = 0;
  for (size_t i = 0; i < 3 * size_t{triangle_count}; ++i) ++scratch.first[triangles[i]];
  uint32_t sum = 0;
  for (uint32_t v = 0; v <= vertices; ++v) sum += scratch.first[v], scratch.first[v] = sum;
  for (size_t t = triangle_count; t-- > 0;)
    for (size_t k = 3; k-- > 0;) {
      const uint32_t at = --scratch.first[triangles[3 * t + k]];
      scratch.corners[2 * size_t{at}] = triangles[3 * t + (k + 1) % 3];
      scratch.corners[2 * size_t{at} + 1] = triangles[3 * t + (k + 2) % 3];
    }
  for (uint32_t v = 0; v < vertices; ++v)
    add_around(polygons, v, scratch.corners + 2 * size_t{scratch.first[v]},
               scratch.first[v + 1] - scratch.first[v]);
  if (!polygons.corners) return;
  // Pad the last group with valid corners.
  for (uint32_t v = vertices; v % kLanes != 0; ++v) Polygons(polygons, v).finish(0);
  if (!polygons.in_rows) return;
  // Meshes cut from a grid mostly have rows of vertices, whose corners are contiguous and load together.
  for (uint32_t group = 0; group * kLanes < vertices; ++group) {
    bool rows = true;
    const uint32_t* c = polygons.corners + size_t{group} * kPolygon * kLanes;
    for (uint32_t k = 0; k < kPolygon * kLanes; ++k) rows &= c[k] == c[k / kLanes * kLanes] + k % kLanes;
    polygons.in_rows[group] = rows;
  }
}

void find_normals(const NormalPolygons& polygons, const float* positions, float* normals) {
  const uint32_t* c = polygons.corners;
  // Separate variables: an array would go through memory.
  static_assert(kPolygon == 6);
  const auto area = [](V3x4 p0, V3x4 p1, V3x4 p2, V3x4 p3, V3x4 p4, V3x4 p5) {
    return cross(p2 - p0, p3 - p1) + cross(p4 - p0, p5 - p3);
  };
  const auto corners = [&](int k) { return load_corners(positions, c + k * kLanes); };
  const auto row = [&](int k) {
    V3x4 p;
    load_points(positions + 3 * size_t{c[k * kLanes]}, p.x, p.y, p.z);
    return p;
  };
  uint32_t next = 0;
  for (uint32_t v = 0; v < polygons.vertices; v += kLanes, c += kPolygon * kLanes) {
    V3x4 n = polygons.in_rows && polygons.in_rows[v / kLanes]
                 ? area(row(0), row(1), row(2), row(3), row(4), row(5))
                 : area(corners(0), corners(1), corners(2), corners(3), corners(4), corners(5));
    for (; next < polygons.more_count && polygons.more[next].vertex < v + kLanes; ++next) {
      const NormalPolygons::More& m = polygons.more[next];
      const V3 extra = cross(corner(positions, m.corner[2]) - corner(positions, m.corner[0]),
                             corner(positions, m.corner[3]) - corner(positions, m.corner[1]));
      const int lane_of = static_cast<int>(m.vertex - v);
      n.x = with_lane(n.x, lane_of, lane(n.x, lane_of) + extra.x);
      n.y = with_lane(n.y, lane_of, lane(n.y, lane_of) + extra.y);
      n.z = with_lane(n.z, lane_of, lane(n.z, lane_of) + extra.z);
    }
    n = normalized_or(n, splat(V3{0, 1, 0}));
    store_points(normals + 3 * size_t{v}, n.x, n.y, n.z);
  }
}

}  // namespace billow
