#include "garment/topology.h"

#include <algorithm>
#include <stdexcept>
#include <string>

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
        throw std::invalid_argument(where + ": expected triangles wound alike, found " +
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
  std::vector<uint32_t> open;
  for (uint32_t first = 0; first < topology.across.size(); ++first) {
    if (topology.piece[first] != kNoTriangle) continue;
    topology.piece[first] = topology.pieces;
    open.assign(1, first);
    while (!open.empty()) {
      const uint32_t t = open.back();
      open.pop_back();
      for (const uint32_t other : topology.across[t])
        if (other != kNoTriangle && topology.piece[other] == kNoTriangle)
          topology.piece[other] = topology.pieces, open.push_back(other);
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
        // Turn round the far corner, from triangle to triangle, to the next edge of the border.
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

}  // namespace

ClothTopology topology_of(size_t vertices, std::span<const Triangle> triangles,
                          const std::vector<bool>& cut) {
  ClothTopology topology;
  find_neighbours(vertices, triangles, cut, topology);
  find_pieces(topology);
  find_borders(triangles, topology);
  return topology;
}

}  // namespace billow::garment
