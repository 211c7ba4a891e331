#include "body/mesh.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>

namespace billow::body {
namespace {

struct HalfEdge {
  uint32_t low, high, triangle;
  bool forward;  // from low to high
};

// Half-edges by their vertices, the forward one of an edge first. Counted into one run per lower vertex, each of a
// few: remeshing asks for them hundreds of times.
std::vector<HalfEdge> sorted_half_edges(const Mesh& mesh) {
  uint32_t vertices = 0;
  for (const Triangle& t : mesh.triangles) vertices = std::max({vertices, t[0] + 1, t[1] + 1, t[2] + 1});
  const auto for_each_half_edge = [&](const auto& f) {
    for (uint32_t t = 0; t < mesh.triangles.size(); ++t)
      for (size_t k = 0; k < 3; ++k) {
        const uint32_t from = mesh.triangles[t][k], to = mesh.triangles[t][k == 2 ? 0 : k + 1];
        f(HalfEdge{std::min(from, to), std::max(from, to), t, from < to});
      }
  };
  std::vector<uint32_t> end(size_t{vertices} + 1, 0);
  for_each_half_edge([&](const HalfEdge& e) { ++end[e.low + 1]; });
  std::partial_sum(end.begin(), end.end(), end.begin());
  std::vector<HalfEdge> half(3 * mesh.triangles.size());
  for_each_half_edge([&](const HalfEdge& e) { half[end[e.low]++] = e; });
  auto first = half.begin();
  for (uint32_t v = 0; v < vertices; ++v) {
    const auto last = half.begin() + end[v];
    std::sort(first, last, [](const HalfEdge& a, const HalfEdge& b) {
      return a.high != b.high ? a.high < b.high : a.forward > b.forward;
    });
    first = last;
  }
  return half;
}

// Pairs opposite half-edges into edges; false if one has no partner or more than one.
bool pair_half_edges(const Mesh& mesh, std::vector<Edge>& edges) {
  const std::vector<HalfEdge> half = sorted_half_edges(mesh);
  if (half.size() % 2 != 0) return false;
  edges.reserve(half.size() / 2);
  for (size_t i = 0; i < half.size(); i += 2) {
    const HalfEdge &a = half[i], &b = half[i + 1];
    const bool unshared = i + 2 >= half.size() || half[i + 2].low != a.low || half[i + 2].high != a.high;
    if (a.low != b.low || a.high != b.high || a.low == a.high || !a.forward || b.forward || !unshared)
      return false;
    edges.push_back({a.low, a.high, a.triangle, b.triangle});
  }
  return true;
}

uint32_t find_root(std::vector<uint32_t>& parent, uint32_t i) {
  while (parent[i] != i) i = parent[i] = parent[parent[i]];
  return i;
}

// Whether the triangles round a vertex form a single fan: a walk round it visits them all.
bool one_fan(const Mesh& mesh, const Fans& fans, uint32_t vertex) {
  const std::span<const uint32_t> fan = fans.of(vertex);
  if (fan.empty()) return false;
  const auto next_of = [&](const Triangle& t) {
    const size_t k = t[0] == vertex ? 0 : t[1] == vertex ? 1 : 2;
    return std::array<uint32_t, 2>{t[(k + 1) % 3], t[(k + 2) % 3]};
  };
  const uint32_t start = next_of(mesh.triangles[fan[0]])[0];
  uint32_t at = start;
  size_t visited = 0;
  do {
    bool found = false;
    for (const uint32_t t : fan)
      if (const auto ring = next_of(mesh.triangles[t]); ring[0] == at) {
        at = ring[1];
        found = true;
        break;
      }
    if (!found || ++visited > fan.size()) return false;
  } while (at != start);
  return visited == fan.size();
}

}  // namespace

std::vector<Edge> edges_of(const Mesh& mesh) {
  std::vector<Edge> edges;
  if (!pair_half_edges(mesh, edges))
    throw std::runtime_error("mesh: expected a closed mesh, manifold along each edge");
  return edges;
}

Fans fans_of(const Mesh& mesh) {
  Fans fans;
  fans.start.assign(mesh.positions.size() + 1, 0);
  for (const Triangle& t : mesh.triangles)
    for (const uint32_t v : t) ++fans.start[v + 1];
  std::partial_sum(fans.start.begin(), fans.start.end(), fans.start.begin());
  fans.triangles.resize(3 * mesh.triangles.size());
  std::vector<uint32_t> fill(fans.start.begin(), fans.start.end() - 1);
  for (uint32_t t = 0; t < mesh.triangles.size(); ++t)
    for (const uint32_t v : mesh.triangles[t]) fans.triangles[fill[v]++] = t;
  return fans;
}

Topology topology_of(const Mesh& mesh) {
  Topology out;
  std::vector<Edge> edges;
  out.closed = pair_half_edges(mesh, edges);
  out.euler = static_cast<int>(mesh.positions.size()) - static_cast<int>(edges.size()) +
              static_cast<int>(mesh.triangles.size());
  const Fans fans = fans_of(mesh);
  out.manifold = out.closed;
  std::vector<uint32_t> parent(mesh.positions.size());
  std::iota(parent.begin(), parent.end(), 0u);
  for (const Edge& e : edges) parent[find_root(parent, e.a)] = find_root(parent, e.b);
  for (uint32_t v = 0; v < mesh.positions.size(); ++v) {
    out.components += find_root(parent, v) == v;
    out.manifold = out.manifold && one_fan(mesh, fans, v);
  }
  out.smallest_angle = 4;
  for (const Triangle& t : mesh.triangles) {
    const V3 p[3] = {mesh.positions[t[0]], mesh.positions[t[1]], mesh.positions[t[2]]};
    out.volume += static_cast<double>(dot(p[0], cross(p[1], p[2]))) / 6;
    for (size_t k = 0; k < 3; ++k) {
      const V3 u = p[(k + 1) % 3] - p[k], v = p[(k + 2) % 3] - p[k];
      out.smallest_angle = std::min(out.smallest_angle, std::atan2(length(cross(u, v)), dot(u, v)));
    }
  }
  return out;
}

}  // namespace billow::body
