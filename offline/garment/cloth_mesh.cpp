#include "garment/cloth_mesh.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <queue>
#include <stdexcept>
#include <string>
#include <utility>

namespace billow::garment {
namespace {

struct HalfEdge {
  uint32_t a, b;  // a < b
  bool forward;   // runs from a to b
  uint32_t triangle, edge;
};

std::vector<HalfEdge> half_edges(size_t vertices, std::span<const Triangle> triangles) {
  std::vector<HalfEdge> out;
  out.reserve(3 * triangles.size());
  for (uint32_t t = 0; t < triangles.size(); ++t)
    for (uint32_t k = 0; k < 3; ++k) {
      const uint32_t a = triangles[t][k], b = triangles[t][(k + 1) % 3];
      if (a >= vertices || a == b)
        throw std::invalid_argument("triangle " + std::to_string(t) + ": expected three vertices below " +
                                    std::to_string(vertices) + ", found " + std::to_string(a) + " beside " +
                                    std::to_string(b));
      out.push_back({std::min(a, b), std::max(a, b), a < b, t, k});
    }
  std::sort(out.begin(), out.end(), [](const HalfEdge& p, const HalfEdge& q) {
    return p.a != q.a ? p.a < q.a : p.b != q.b ? p.b < q.b : p.triangle < q.triangle;
  });
  return out;
}

void find_neighbours(size_t vertices, std::span<const Triangle> triangles, const std::vector<bool>& cut,
                     ClothTopology& topology) {
  const std::vector<HalfEdge> edges = half_edges(vertices, triangles);
  topology.across.assign(triangles.size(), {kNoTriangle, kNoTriangle, kNoTriangle});
  for (size_t i = 0; i < edges.size();) {
    size_t end = i;
    while (end < edges.size() && edges[end].a == edges[i].a && edges[end].b == edges[i].b) ++end;
    const std::string where =
        "the edge from vertex " + std::to_string(edges[i].a) + " to " + std::to_string(edges[i].b);
    if (end - i > 2)
      throw std::invalid_argument(where + ": expected one or two triangles, found " +
                                  std::to_string(end - i));
    if (end - i == 2) {
      if (edges[i].forward == edges[i + 1].forward)
        throw std::invalid_argument(where + ": expected consistently wound triangles, found " +
                                    std::to_string(edges[i].triangle) + " and " +
                                    std::to_string(edges[i + 1].triangle) + " facing opposite sides");
      if (cut.empty() || !cut[edges[i].a] || !cut[edges[i].b]) {
        topology.across[edges[i].triangle][edges[i].edge] = edges[i + 1].triangle;
        topology.across[edges[i + 1].triangle][edges[i + 1].edge] = edges[i].triangle;
      }
    }
    i = end;
  }
}

void find_pieces(ClothTopology& topology) {
  topology.piece.assign(topology.across.size(), kNoTriangle);
  std::vector<uint32_t> queue;
  for (uint32_t first = 0; first < topology.across.size(); ++first) {
    if (topology.piece[first] != kNoTriangle) continue;
    topology.piece[first] = topology.pieces;
    queue.assign(1, first);
    while (!queue.empty()) {
      const uint32_t t = queue.back();
      queue.pop_back();
      for (const uint32_t other : topology.across[t])
        if (other != kNoTriangle && topology.piece[other] == kNoTriangle)
          topology.piece[other] = topology.pieces, queue.push_back(other);
    }
    ++topology.pieces;
  }
}

void find_borders(std::span<const Triangle> triangles, ClothTopology& topology) {
  std::vector<std::array<bool, 3>> seen(triangles.size(), {false, false, false});
  for (uint32_t first = 0; first < triangles.size(); ++first)
    for (uint32_t side = 0; side < 3; ++side) {
      if (!topology.is_border(first, side) || seen[first][side]) continue;
      std::vector<uint32_t> loop;
      uint32_t t = first, k = side;
      do {
        seen[t][k] = true;
        loop.push_back(triangles[t][k]);
        // Rotate about the end vertex from triangle to triangle to the next border edge.
        const uint32_t corner = triangles[t][(k + 1) % 3];
        k = (k + 1) % 3;
        while (!topology.is_border(t, k)) {
          t = topology.across[t][k];
          k = 0;
          while (triangles[t][k] != corner) ++k;
        }
      } while (t != first || k != side);
      topology.borders.push_back(std::move(loop));
    }
}

constexpr double kUnreached = std::numeric_limits<double>::infinity();

struct Front {
  double distance = kUnreached;
  double planarity = 0;  // 1: planar front, 0: circular
};

// A triangle ABC in the plane: A at the origin, B at (ab, 0), C at (x, y) with y >= 0.
struct FlatTriangle {
  double ab, x, y;
};

// Where the path to C crosses AB, 0..1, and the distance at C.
struct Crossing {
  double at, distance;
};

// Planar front: the unit gradient that matches the distances at A and B.
Crossing planar_front(const FlatTriangle& t, double a, double b) {
  const double slope = (b - a) / t.ab;
  if (!(std::fabs(slope) < 1)) return {-1, kUnreached};
  const double rise = std::sqrt(1 - slope * slope);
  return {(t.x - t.y * slope / rise) / t.ab, a + slope * t.x + rise * t.y};
}

// Circular front: its centre, below AB, has the distances of A and B.
Crossing circular_front(const FlatTriangle& t, double a, double b) {
  const double x = (a * a - b * b + t.ab * t.ab) / (2 * t.ab);
  const double square = a * a - x * x;
  if (square < 0) return planar_front(t, a, b);
  const double y = -std::sqrt(square);
  return {(x + (t.x - x) * -y / (t.y - y)) / t.ab, std::hypot(t.x - x, t.y - y)};
}

// Propagates the front from A and B to C.
Front propagate(const FlatTriangle& t, const Front& a, const Front& b) {
  // Paths along the edges.
  const double via_a = a.distance + std::hypot(t.x, t.y), via_b = b.distance + std::hypot(t.x - t.ab, t.y);
  Front best = via_a < via_b ? Front{via_a, a.planarity} : Front{via_b, b.planarity};
  const double planarity = 0.5 * (a.planarity + b.planarity);
  // Path through the face, valid if it crosses AB.
  const Crossing circle = circular_front(t, a.distance, b.distance),
                 line = planar_front(t, a.distance, b.distance);
  if (planarity > 0 && !(line.distance < kUnreached)) return best;
  const double at = planarity > 0 ? (1 - planarity) * circle.at + planarity * line.at : circle.at;
  if (at < 0 || at > 1) return best;
  const double distance =
      planarity > 0 ? (1 - planarity) * circle.distance + planarity * line.distance : circle.distance;
  return distance < best.distance ? Front{distance, planarity} : best;
}

struct CornerTriangles {
  std::vector<uint32_t> start, triangles;
};

CornerTriangles triangles_at_corners(size_t vertices, std::span<const Triangle> triangles) {
  CornerTriangles out;
  out.start.assign(vertices + 1, 0);
  for (const Triangle& t : triangles)
    for (const uint32_t v : t) ++out.start[v + 1];
  for (size_t v = 0; v < vertices; ++v) out.start[v + 1] += out.start[v];
  out.triangles.resize(3 * triangles.size());
  std::vector<uint32_t> next(out.start.begin(), out.start.end() - 1);
  for (uint32_t t = 0; t < triangles.size(); ++t)
    for (const uint32_t v : triangles[t]) out.triangles[next[v]++] = t;
  return out;
}

FlatTriangle flatten_triangle(V3 a, V3 b, V3 c) {
  const V3 ab = b - a, ac = c - a;
  const double length_ab = static_cast<double>(length(ab));
  if (!(length_ab > 0)) return {0, 0, 0};
  return {length_ab, static_cast<double>(dot(ac, ab)) / length_ab,
          static_cast<double>(length(cross(ab, ac))) / length_ab};
}

// Sources have distance 0; those adjacent to another source belong to a row, which starts a planar front.
std::vector<Front> initial_fronts(size_t vertices, std::span<const Triangle> triangles,
                                  std::span<const uint32_t> sources) {
  if (sources.empty())
    throw std::invalid_argument("geodesic distances: expected source vertices, found none");
  std::vector<Front> fronts(vertices);
  for (const uint32_t s : sources) {
    if (s >= vertices)
      throw std::invalid_argument("geodesic distances: expected vertices below " + std::to_string(vertices) +
                                  ", found " + std::to_string(s));
    fronts[s] = {0, 0};
  }
  for (const Triangle& t : triangles)
    for (size_t k = 0; k < 3; ++k) {
      Front &a = fronts[t[k]], &b = fronts[t[(k + 1) % 3]];
      if (a.distance == 0 && b.distance == 0) a.planarity = b.planarity = 1;
    }
  return fronts;
}

}  // namespace

ClothTopology topology_of(size_t vertices, std::span<const Triangle> triangles,
                          const std::vector<bool>& cut) {
  ClothTopology topology;
  find_neighbours(vertices, triangles, cut, topology);
  find_pieces(topology);
  find_borders(triangles, topology);
  return topology;
}

std::vector<float> geodesic_distances(std::span<const V3> positions, std::span<const Triangle> triangles,
                                      std::span<const uint32_t> sources, float reach) {
  std::vector<Front> fronts = initial_fronts(positions.size(), triangles, sources);
  const CornerTriangles corners = triangles_at_corners(positions.size(), triangles);
  using Entry = std::pair<double, uint32_t>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue;
  for (const uint32_t s : sources) queue.push({0, s});
  std::vector<uint32_t> visits(positions.size(), 0);
  constexpr uint32_t kMaxVisits = 200;  // guards against cycles caused by rounding
  while (!queue.empty()) {
    const auto [distance, v] = queue.top();
    queue.pop();
    if (distance > fronts[v].distance || ++visits[v] > kMaxVisits) continue;
    // Propagate the front through the incident triangles.
    for (uint32_t i = corners.start[v]; i < corners.start[v + 1]; ++i) {
      const Triangle& t = triangles[corners.triangles[i]];
      for (size_t k = 0; k < 3; ++k) {
        if (t[k] == v) continue;
        const uint32_t c = t[k], a = t[(k + 1) % 3], b = t[(k + 2) % 3];
        const FlatTriangle flat = flatten_triangle(positions[a], positions[b], positions[c]);
        if (!(flat.ab > 0)) continue;
        const Front reached = propagate(flat, fronts[a], fronts[b]);
        if (!(reached.distance < fronts[c].distance * (1 - 1e-9)) ||
            reached.distance > static_cast<double>(reach))
          continue;
        fronts[c] = reached;
        queue.push({reached.distance, c});
      }
    }
  }
  std::vector<float> out;
  out.reserve(fronts.size());
  for (const Front& f : fronts) out.push_back(static_cast<float>(f.distance));
  return out;
}

}  // namespace billow::garment
