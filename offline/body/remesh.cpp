#include <algorithm>
#include <cmath>

#include "body/polygonise.h"

namespace billow::body {
namespace {

constexpr uint32_t kRemoved = ~0u;

uint32_t opposite(const Triangle& t, uint32_t a, uint32_t b) {
  return t[0] != a && t[0] != b ? t[0] : t[1] != a && t[1] != b ? t[1] : t[2];
}

// One method per operation of Botsch and Kobbelt (2004).
class Remesher {
 public:
  Remesher(Mesh& mesh, const Surface& surface, const RemeshOptions& options)
      : mesh_(mesh), surface_(surface), options_(options) {}

  void run() {
    for (int round = 0; round < options_.rounds; ++round) {
      choose_sizes();
      for (int pass = 0; pass < 8 && split_long_edges(); ++pass) continue;
      for (int pass = 0; pass < 8 && collapse_short_edges(); ++pass) continue;
      // Early rounds flip for valence, the last ones for triangle shape.
      const bool last = round + 3 >= options_.rounds;
      for (int pass = 0; pass < 4 && flip_edges(last); ++pass) continue;
      for (int pass = 0; pass < 3; ++pass) relax();
    }
    for (int pass = 0; pass < 6 && flip_edges(true); ++pass) continue;
    project(mesh_.positions, surface_, 12);
  }

 private:
  // Chooses target edge lengths per vertex: proportional to the square root of the radius of curvature,
  // scaled iteratively to reach the target vertex count.
  void choose_sizes() {
    const size_t n = mesh_.positions.size();
    std::vector<float> radius = curvature_radii(), area(n, 0);
    for (const Triangle& t : mesh_.triangles)
      for (const uint32_t v : t) area[v] += length(area_normal(mesh_.positions, t)) / 6;
    const std::vector<Edge> edges = edges_of(mesh_);
    size_.assign(n, 0);
    float scale = 0.08f;
    for (int k = 0; k < 8; ++k) {
      for (size_t v = 0; v < n; ++v)
        size_[v] = std::clamp(scale * std::sqrt(radius[v]), options_.shortest, options_.longest);
      // Limit the growth of target lengths along edges.
      for (int sweep = 0; sweep < 6; ++sweep)
        for (const Edge& e : edges) {
          const float reach = 0.35f * length(mesh_.positions[e.a] - mesh_.positions[e.b]);
          size_[e.a] = std::min(size_[e.a], size_[e.b] + reach);
          size_[e.b] = std::min(size_[e.b], size_[e.a] + reach);
        }
      // In a regular triangulation with edge length l each vertex covers an area of sqrt(3)/2 l^2.
      double expected = 0;
      for (size_t v = 0; v < n; ++v)
        expected += static_cast<double>(area[v] / (0.866f * size_[v] * size_[v]));
      scale *= static_cast<float>(std::sqrt(expected / static_cast<double>(options_.vertices)));
    }
  }

  // The smallest radius of curvature at each vertex, from differences of normals in four tangent directions.
  std::vector<float> curvature_radii() const {
    constexpr float kStep = 0.004f;
    const size_t n = mesh_.positions.size();
    std::vector<float> phi(8 * n), radius(n);
    std::vector<V3> points(8 * n), normals(8 * n);
    const std::vector<V3> at = vertex_normals(mesh_.positions, mesh_.triangles);
    for (size_t v = 0; v < n; ++v) {
      const V3 across = unit(cross(at[v], std::fabs(at[v].y) < 0.9f ? V3{0, 1, 0} : V3{1, 0, 0}));
      const V3 up = cross(across, at[v]);
      const V3 tangents[4] = {across, up, unit(across + up), unit(across - up)};
      for (size_t k = 0; k < 4; ++k) {
        points[8 * v + 2 * k] = mesh_.positions[v] + tangents[k] * kStep;
        points[8 * v + 2 * k + 1] = mesh_.positions[v] - tangents[k] * kStep;
      }
    }
    surface_.query(points, phi, normals);
    for (size_t v = 0; v < n; ++v) {
      float curvature = 1;  // 1/m
      for (size_t k = 0; k < 4; ++k)
        curvature =
            std::max(curvature, length(normals[8 * v + 2 * k] - normals[8 * v + 2 * k + 1]) / (2 * kStep));
      radius[v] = 1 / curvature;
    }
    return radius;
  }

  float target_length(uint32_t a, uint32_t b) const { return 0.5f * (size_[a] + size_[b]); }
  float edge_length(uint32_t a, uint32_t b) const { return length(mesh_.positions[a] - mesh_.positions[b]); }

  bool split_long_edges() {
    std::vector<Edge> edges = edges_of(mesh_);
    std::vector<char> touched(mesh_.triangles.size(), 0);
    const size_t before = mesh_.positions.size();
    for (const Edge& e : edges) {
      if (touched[e.left] || touched[e.right]) continue;
      if (edge_length(e.a, e.b) <= target_length(e.a, e.b) * (4.0f / 3)) continue;
      touched[e.left] = touched[e.right] = 1;
      const uint32_t m = static_cast<uint32_t>(mesh_.positions.size());
      mesh_.positions.push_back((mesh_.positions[e.a] + mesh_.positions[e.b]) * 0.5f);
      size_.push_back(target_length(e.a, e.b));
      const uint32_t c = opposite(mesh_.triangles[e.left], e.a, e.b),
                     d = opposite(mesh_.triangles[e.right], e.a, e.b);
      mesh_.triangles[e.left] = {e.a, m, c};
      mesh_.triangles[e.right] = {e.b, m, d};
      mesh_.triangles.push_back({m, e.b, c});
      mesh_.triangles.push_back({m, e.a, d});
    }
    project(std::span(mesh_.positions).subspan(before), surface_);
    return mesh_.positions.size() > before;
  }

  // One-ring neighbours of a vertex, unordered, into `out`, which is used again and again.
  void find_ring(const Fans& fans, uint32_t v, std::vector<uint32_t>& out) const {
    out.clear();
    for (const uint32_t t : fans.of(v))
      for (const uint32_t w : mesh_.triangles[t])
        if (w != v && std::find(out.begin(), out.end(), w) == out.end()) out.push_back(w);
  }

  // Whether no triangle of vertex v would turn by more than 60 degrees if v moved to `to`. Triangles that
  // contain `other` are ignored: they vanish in the collapse.
  bool keeps_orientation(const Fans& fans, uint32_t v, uint32_t other, V3 to) const {
    for (const uint32_t i : fans.of(v)) {
      const Triangle& t = mesh_.triangles[i];
      if (t[0] == other || t[1] == other || t[2] == other) continue;
      V3 p[3];
      for (size_t k = 0; k < 3; ++k) p[k] = t[k] == v ? to : mesh_.positions[t[k]];
      const V3 now = area_normal(mesh_.positions, t), then = cross(p[1] - p[0], p[2] - p[0]);
      if (!(dot(now, then) > 0.5f * length(now) * length(then))) return false;
    }
    return true;
  }

  bool may_collapse(const Fans& fans, uint32_t a, uint32_t b, const std::vector<uint32_t>& ring_a,
                    const std::vector<uint32_t>& ring_b, V3 to) const {
    // Link condition, which keeps the surface manifold: the vertices share exactly two neighbours, and these
    // keep a valence of at least three.
    int shared = 0;
    for (const uint32_t w : ring_a)
      if (std::find(ring_b.begin(), ring_b.end(), w) != ring_b.end()) {
        ++shared;
        if (fans.of(w).size() <= 4) return false;
      }
    if (shared != 2 || ring_a.size() + ring_b.size() - 4 < 4) return false;
    for (const auto* r : {&ring_a, &ring_b})
      for (const uint32_t w : *r)
        if (w != a && w != b && length(mesh_.positions[w] - to) > target_length(a, w) * (4.0f / 3))
          return false;
    return keeps_orientation(fans, a, b, to) && keeps_orientation(fans, b, a, to);
  }

  // Edges too short for their targets, the shortest for its target first.
  std::vector<Edge> short_edges() const {
    struct Candidate {
      float relative;
      Edge edge;
    };
    std::vector<Candidate> candidates;
    for (const Edge& e : edges_of(mesh_))
      if (const float relative = edge_length(e.a, e.b) / target_length(e.a, e.b); !(relative >= 0.8f))
        candidates.push_back({relative, e});
    std::sort(candidates.begin(), candidates.end(), [](const Candidate& x, const Candidate& y) {
      if (x.relative != y.relative) return x.relative < y.relative;
      return x.edge.a != y.edge.a ? x.edge.a < y.edge.a : x.edge.b < y.edge.b;
    });
    std::vector<Edge> edges;
    edges.reserve(candidates.size());
    for (const Candidate& c : candidates) edges.push_back(c.edge);
    return edges;
  }

  bool collapse_short_edges() {
    const std::vector<Edge> edges = short_edges();
    std::vector<V3> middles = middles_of(edges);
    project(middles, surface_);
    const Fans fans = fans_of(mesh_);
    std::vector<char> touched(mesh_.positions.size(), 0);
    const auto free = [&](uint32_t v) { return !touched[v]; };
    std::vector<uint32_t> ring_a, ring_b;
    size_t collapsed = 0;
    for (size_t i = 0; i < edges.size(); ++i) {
      const auto [a, b, left, right] = edges[i];
      if (touched[a] || touched[b]) continue;
      find_ring(fans, a, ring_a);
      if (!std::all_of(ring_a.begin(), ring_a.end(), free)) continue;
      find_ring(fans, b, ring_b);
      if (!std::all_of(ring_b.begin(), ring_b.end(), free)) continue;
      if (!may_collapse(fans, a, b, ring_a, ring_b, middles[i])) continue;
      mesh_.positions[a] = middles[i];
      for (const uint32_t t : fans.of(b)) {
        Triangle& triangle = mesh_.triangles[t];
        if (t == left || t == right)
          triangle[0] = kRemoved;
        else
          std::replace(triangle.begin(), triangle.end(), b, a);
      }
      for (const uint32_t v : ring_a) touched[v] = 1;
      for (const uint32_t v : ring_b) touched[v] = 1;
      ++collapsed;
    }
    compact();
    return collapsed > 0;
  }

  void compact() {
    std::erase_if(mesh_.triangles, [](const Triangle& t) { return t[0] == kRemoved; });
    std::vector<uint32_t> remap(mesh_.positions.size(), kRemoved);
    for (const Triangle& t : mesh_.triangles)
      for (const uint32_t v : t) remap[v] = 0;
    uint32_t count = 0;
    for (size_t v = 0; v < remap.size(); ++v) {
      if (remap[v] == kRemoved) continue;
      remap[v] = count;
      mesh_.positions[count] = mesh_.positions[v];
      size_[count++] = size_[v];
    }
    mesh_.positions.resize(count);
    size_.resize(count);
    for (Triangle& t : mesh_.triangles)
      for (uint32_t& v : t) v = remap[v];
  }

  std::vector<V3> middles_of(const std::vector<Edge>& edges) const {
    std::vector<V3> middles;
    middles.reserve(edges.size());
    for (const Edge& e : edges) middles.push_back((mesh_.positions[e.a] + mesh_.positions[e.b]) * 0.5f);
    return middles;
  }

  // Distances of the edge midpoints to the surface.
  std::vector<float> distances_of_middles(const std::vector<Edge>& edges) const {
    std::vector<float> distances(edges.size());
    surface_.query(middles_of(edges), distances);
    for (float& d : distances) d = std::fabs(d);
    return distances;
  }

  // Flips edges to equalise valences or, with `by_shape`, where the other diagonal makes better triangles or
  // lies closer to a curved surface. True if any edge was flipped.
  bool flip_edges(bool by_shape) {
    const std::vector<Edge> edges = edges_of(mesh_);
    std::vector<Edge> others(edges);
    for (Edge& e : others) {
      const uint32_t c = opposite(mesh_.triangles[e.left], e.a, e.b),
                     d = opposite(mesh_.triangles[e.right], e.a, e.b);
      e.a = c, e.b = d;
    }
    std::vector<float> now, then;
    if (by_shape) now = distances_of_middles(edges), then = distances_of_middles(others);
    const Fans fans = fans_of(mesh_);
    std::vector<char> touched(mesh_.positions.size(), 0);
    std::vector<uint32_t> ring_c;
    size_t flipped = 0;
    for (size_t i = 0; i < edges.size(); ++i) {
      const uint32_t a = edges[i].a, b = edges[i].b, c = others[i].a, d = others[i].b;
      if (touched[a] || touched[b] || touched[c] || touched[d]) continue;
      if (fans.of(a).size() <= 3 || fans.of(b).size() <= 3) continue;
      if (!(by_shape ? flip_improves_shape(a, b, c, d, now[i], then[i])
                     : flip_improves_valence(fans, a, b, c, d)))
        continue;
      find_ring(fans, c, ring_c);
      if (std::find(ring_c.begin(), ring_c.end(), d) != ring_c.end()) continue;
      if (!flip_keeps_orientation(a, b, c, d)) continue;
      mesh_.triangles[edges[i].left] = {a, d, c};
      mesh_.triangles[edges[i].right] = {b, c, d};
      touched[a] = touched[b] = touched[c] = touched[d] = 1;
      ++flipped;
    }
    return flipped > 0;
  }

  static bool flip_improves_valence(const Fans& fans, uint32_t a, uint32_t b, uint32_t c, uint32_t d) {
    // Squared deviation from the regular valence of 6.
    const auto cost = [&](uint32_t v, int change) {
      const int excess = static_cast<int>(fans.of(v).size()) + change - 6;
      return excess * excess;
    };
    return cost(a, -1) + cost(b, -1) + cost(c, 1) + cost(d, 1) <
           cost(a, 0) + cost(b, 0) + cost(c, 0) + cost(d, 0);
  }

  bool flip_improves_shape(uint32_t a, uint32_t b, uint32_t c, uint32_t d, float now, float then) const {
    const auto& p = mesh_.positions;
    const auto angle = [&](uint32_t at, uint32_t u, uint32_t v) {
      const V3 x = p[u] - p[at], y = p[v] - p[at];
      return std::atan2(length(cross(x, y)), dot(x, y));
    };
    const float excess =
        angle(c, a, b) + angle(d, a, b) - 3.14159265f;  // > 0: the other diagonal is Delaunay
    if (std::max(now, then) > 0.0008f && std::fabs(excess) < 0.9f) return then < now - 0.0002f;
    return excess > 0.02f;
  }

  bool flip_keeps_orientation(uint32_t a, uint32_t b, uint32_t c, uint32_t d) const {
    const auto& p = mesh_.positions;
    const auto normal = [&](uint32_t i, uint32_t j, uint32_t k) { return cross(p[j] - p[i], p[k] - p[i]); };
    const V3 before = unit(normal(a, b, c) + normal(b, a, d));
    const V3 first = normal(a, d, c), second = normal(b, c, d);
    return dot(first, before) > 0.5f * length(first) && dot(second, before) > 0.5f * length(second);
  }

  // Tangential relaxation: moves vertices towards the weighted centroid of their triangles.
  void relax() {
    const size_t n = mesh_.positions.size();
    std::vector<V3> sum(n, V3{0, 0, 0});
    std::vector<float> weight(n, 0);
    for (const Triangle& t : mesh_.triangles) {
      const V3 middle = (mesh_.positions[t[0]] + mesh_.positions[t[1]] + mesh_.positions[t[2]]) * (1.0f / 3);
      // Divide areas by the target size squared, or all vertices would drift towards large triangles.
      const float l = (size_[t[0]] + size_[t[1]] + size_[t[2]]) / 3;
      const float area = length(area_normal(mesh_.positions, t)) / (l * l);
      for (const uint32_t v : t) sum[v] += middle * area, weight[v] += area;
    }
    const std::vector<V3> normals = vertex_normals(mesh_.positions, mesh_.triangles);
    for (size_t v = 0; v < n; ++v) {
      if (!(weight[v] > 0)) continue;
      const V3 step = sum[v] * (1 / weight[v]) - mesh_.positions[v];
      mesh_.positions[v] += (step - normals[v] * dot(normals[v], step)) * 0.6f;
    }
    project(mesh_.positions, surface_);
  }

  Mesh& mesh_;
  const Surface& surface_;
  const RemeshOptions& options_;
  std::vector<float> size_;  // target edge length per vertex
};

}  // namespace

void remesh(Mesh& mesh, const Surface& surface, const RemeshOptions& options) {
  Remesher(mesh, surface, options).run();
}

}  // namespace billow::body
