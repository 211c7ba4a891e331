#include <algorithm>
#include <cmath>

#include "body/polygonise.h"
#include "body/vertex_normals.h"

namespace billow::body {
namespace {

constexpr uint32_t kGone = ~0u;

uint32_t opposite(const Triangle& t, uint32_t a, uint32_t b) {
  return t[0] != a && t[0] != b ? t[0] : t[1] != a && t[1] != b ? t[1] : t[2];
}

class Remesher {
 public:
  Remesher(Mesh& mesh, const Surface& surface, const RemeshOptions& options)
      : mesh_(mesh), surface_(surface), options_(options) {}

  void run() {
    for (int round = 0; round < options_.rounds; ++round) {
      choose_sizes();
      for (int pass = 0; pass < 8 && split_long_edges(); ++pass) continue;
      for (int pass = 0; pass < 8 && collapse_short_edges(); ++pass) continue;
      // Even out valences first; in the last rounds fit the triangles.
      const bool last = round + 3 >= options_.rounds;
      for (int pass = 0; pass < 4 && flip_edges(last); ++pass) continue;
      for (int pass = 0; pass < 3; ++pass) slide();
    }
    for (int pass = 0; pass < 6 && flip_edges(true); ++pass) continue;
    project(mesh_.positions, surface_, 12);
  }

 private:
  // The wanted edge length at each vertex: the more the surface bends, the shorter, scaled so that about as
  // many vertices come out as asked for.
  void choose_sizes() {
    const size_t n = mesh_.positions.size();
    std::vector<float> radius = bending_radii(), area(n, 0);
    for (const Triangle& t : mesh_.triangles)
      for (const uint32_t v : t) area[v] += length(area_normal(mesh_.positions, t)) / 6;
    const std::vector<Edge> edges = edges_of(mesh_);
    size_.assign(n, 0);
    float scale = 0.08f;
    for (int k = 0; k < 8; ++k) {
      for (size_t v = 0; v < n; ++v)
        size_[v] = std::clamp(scale * std::sqrt(radius[v]), options_.shortest, options_.longest);
      // Let lengths grow slowly from edge to edge.
      for (int sweep = 0; sweep < 6; ++sweep)
        for (const Edge& e : edges) {
          const float reach = 0.35f * length(mesh_.positions[e.a] - mesh_.positions[e.b]);
          size_[e.a] = std::min(size_[e.a], size_[e.b] + reach);
          size_[e.b] = std::min(size_[e.b], size_[e.a] + reach);
        }
      // A vertex of good triangles with edges l has an area of sqrt(3)/2 l^2.
      double expected = 0;
      for (size_t v = 0; v < n; ++v)
        expected += static_cast<double>(area[v] / (0.866f * size_[v] * size_[v]));
      scale *= static_cast<float>(std::sqrt(expected / static_cast<double>(options_.vertices)));
    }
  }

  // The smallest radius of curvature at each vertex, from the normals a little to each side.
  std::vector<float> bending_radii() const {
    constexpr float kAside = 0.004f;
    const size_t n = mesh_.positions.size();
    std::vector<float> phi(8 * n), radius(n);
    std::vector<V3> points(8 * n), normals(8 * n);
    const std::vector<V3> at = vertex_normals(mesh_.positions, mesh_.triangles);
    for (size_t v = 0; v < n; ++v) {
      const V3 across = unit(cross(at[v], std::fabs(at[v].y) < 0.9f ? V3{0, 1, 0} : V3{1, 0, 0}));
      const V3 up = cross(across, at[v]);
      const V3 ways[4] = {across, up, unit(across + up), unit(across - up)};
      for (size_t k = 0; k < 4; ++k) {
        points[8 * v + 2 * k] = mesh_.positions[v] + ways[k] * kAside;
        points[8 * v + 2 * k + 1] = mesh_.positions[v] - ways[k] * kAside;
      }
    }
    surface_.query(points, phi, normals);
    for (size_t v = 0; v < n; ++v) {
      float bend = 1;  // 1/m
      for (size_t k = 0; k < 4; ++k)
        bend = std::max(bend, length(normals[8 * v + 2 * k] - normals[8 * v + 2 * k + 1]) / (2 * kAside));
      radius[v] = 1 / bend;
    }
    return radius;
  }

  float wanted(uint32_t a, uint32_t b) const { return 0.5f * (size_[a] + size_[b]); }
  float edge_length(uint32_t a, uint32_t b) const { return length(mesh_.positions[a] - mesh_.positions[b]); }

  bool split_long_edges() {
    std::vector<Edge> edges = edges_of(mesh_);
    std::vector<char> touched(mesh_.triangles.size(), 0);
    const size_t before = mesh_.positions.size();
    for (const Edge& e : edges) {
      if (touched[e.left] || touched[e.right]) continue;
      if (edge_length(e.a, e.b) <= wanted(e.a, e.b) * (4.0f / 3)) continue;
      touched[e.left] = touched[e.right] = 1;
      const uint32_t m = static_cast<uint32_t>(mesh_.positions.size());
      mesh_.positions.push_back((mesh_.positions[e.a] + mesh_.positions[e.b]) * 0.5f);
      size_.push_back(wanted(e.a, e.b));
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

  // The neighbours of a vertex, in no order.
  std::vector<uint32_t> ring(const Fans& fans, uint32_t v) const {
    std::vector<uint32_t> out;
    for (const uint32_t t : fans.of(v))
      for (const uint32_t w : mesh_.triangles[t])
        if (w != v && std::find(out.begin(), out.end(), w) == out.end()) out.push_back(w);
    return out;
  }

  // Whether a vertex's triangles but those with `other` keep their direction when it moves to `to`.
  bool stays_upright(const Fans& fans, uint32_t v, uint32_t other, V3 to) const {
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
    // Keep the surface a manifold: the two vertices share exactly two neighbours, which keep three of theirs.
    int shared = 0;
    for (const uint32_t w : ring_a)
      if (std::find(ring_b.begin(), ring_b.end(), w) != ring_b.end()) {
        ++shared;
        if (fans.of(w).size() <= 4) return false;
      }
    if (shared != 2 || ring_a.size() + ring_b.size() - 4 < 4) return false;
    for (const auto* r : {&ring_a, &ring_b})
      for (const uint32_t w : *r)
        if (w != a && w != b && length(mesh_.positions[w] - to) > wanted(a, w) * (4.0f / 3)) return false;
    return stays_upright(fans, a, b, to) && stays_upright(fans, b, a, to);
  }

  bool collapse_short_edges() {
    std::vector<Edge> edges = edges_of(mesh_);
    const auto relative = [&](const Edge& e) { return edge_length(e.a, e.b) / wanted(e.a, e.b); };
    std::erase_if(edges, [&](const Edge& e) { return relative(e) >= 0.8f; });
    std::sort(edges.begin(), edges.end(), [&](const Edge& x, const Edge& y) {
      const float lx = relative(x), ly = relative(y);
      return lx != ly ? lx < ly : x.a != y.a ? x.a < y.a : x.b < y.b;
    });
    std::vector<V3> middles = middles_of(edges);
    project(middles, surface_);
    const Fans fans = fans_of(mesh_);
    std::vector<char> touched(mesh_.positions.size(), 0);
    size_t collapsed = 0;
    for (size_t i = 0; i < edges.size(); ++i) {
      const auto [a, b, left, right] = edges[i];
      if (touched[a] || touched[b]) continue;
      const std::vector<uint32_t> ring_a = ring(fans, a), ring_b = ring(fans, b);
      const auto free = [&](uint32_t v) { return !touched[v]; };
      if (!std::all_of(ring_a.begin(), ring_a.end(), free) ||
          !std::all_of(ring_b.begin(), ring_b.end(), free))
        continue;
      if (!may_collapse(fans, a, b, ring_a, ring_b, middles[i])) continue;
      mesh_.positions[a] = middles[i];
      for (const uint32_t t : fans.of(b)) {
        Triangle& triangle = mesh_.triangles[t];
        if (t == left || t == right)
          triangle[0] = kGone;
        else
          std::replace(triangle.begin(), triangle.end(), b, a);
      }
      for (const uint32_t v : ring_a) touched[v] = 1;
      for (const uint32_t v : ring_b) touched[v] = 1;
      ++collapsed;
    }
    drop_unused();
    return collapsed > 0;
  }

  void drop_unused() {
    std::erase_if(mesh_.triangles, [](const Triangle& t) { return t[0] == kGone; });
    std::vector<uint32_t> renamed(mesh_.positions.size(), kGone);
    for (const Triangle& t : mesh_.triangles)
      for (const uint32_t v : t) renamed[v] = 0;
    uint32_t count = 0;
    for (size_t v = 0; v < renamed.size(); ++v) {
      if (renamed[v] == kGone) continue;
      renamed[v] = count;
      mesh_.positions[count] = mesh_.positions[v];
      size_[count++] = size_[v];
    }
    mesh_.positions.resize(count);
    size_.resize(count);
    for (Triangle& t : mesh_.triangles)
      for (uint32_t& v : t) v = renamed[v];
  }

  std::vector<V3> middles_of(const std::vector<Edge>& edges) const {
    std::vector<V3> middles;
    middles.reserve(edges.size());
    for (const Edge& e : edges) middles.push_back((mesh_.positions[e.a] + mesh_.positions[e.b]) * 0.5f);
    return middles;
  }

  // How far the middles of edges lie off the surface.
  std::vector<float> sags_of(const std::vector<Edge>& edges) const {
    std::vector<float> sags(edges.size());
    surface_.query(middles_of(edges), sags);
    for (float& sag : sags) sag = std::fabs(sag);
    return sags;
  }

  // Flips edges where that evens out the valences or, with `fit`, where the other diagonal makes rounder
  // triangles or lies closer to a surface that bends.
  bool flip_edges(bool fit) {
    const std::vector<Edge> edges = edges_of(mesh_);
    std::vector<Edge> others(edges);
    for (Edge& e : others) {
      const uint32_t c = opposite(mesh_.triangles[e.left], e.a, e.b),
                     d = opposite(mesh_.triangles[e.right], e.a, e.b);
      e.a = c, e.b = d;
    }
    std::vector<float> now, then;
    if (fit) now = sags_of(edges), then = sags_of(others);
    const Fans fans = fans_of(mesh_);
    std::vector<char> touched(mesh_.positions.size(), 0);
    size_t flipped = 0;
    for (size_t i = 0; i < edges.size(); ++i) {
      const uint32_t a = edges[i].a, b = edges[i].b, c = others[i].a, d = others[i].b;
      if (touched[a] || touched[b] || touched[c] || touched[d]) continue;
      if (fans.of(a).size() <= 3 || fans.of(b).size() <= 3) continue;
      if (!(fit ? flip_fits(a, b, c, d, now[i], then[i]) : flip_evens_out(fans, a, b, c, d))) continue;
      const std::vector<uint32_t> ring_c = ring(fans, c);
      if (std::find(ring_c.begin(), ring_c.end(), d) != ring_c.end()) continue;
      if (!flip_stays_upright(a, b, c, d)) continue;
      mesh_.triangles[edges[i].left] = {a, d, c};
      mesh_.triangles[edges[i].right] = {b, c, d};
      touched[a] = touched[b] = touched[c] = touched[d] = 1;
      ++flipped;
    }
    return flipped > 0;
  }

  static bool flip_evens_out(const Fans& fans, uint32_t a, uint32_t b, uint32_t c, uint32_t d) {
    const auto off = [&](uint32_t v, int change) {
      const int excess = static_cast<int>(fans.of(v).size()) + change - 6;
      return excess * excess;
    };
    return off(a, -1) + off(b, -1) + off(c, 1) + off(d, 1) < off(a, 0) + off(b, 0) + off(c, 0) + off(d, 0);
  }

  bool flip_fits(uint32_t a, uint32_t b, uint32_t c, uint32_t d, float now, float then) const {
    const auto& p = mesh_.positions;
    const auto angle = [&](uint32_t at, uint32_t u, uint32_t v) {
      const V3 x = p[u] - p[at], y = p[v] - p[at];
      return std::atan2(length(cross(x, y)), dot(x, y));
    };
    const float excess = angle(c, a, b) + angle(d, a, b) - 3.14159265f;  // over 0: the other is Delaunay
    if (std::max(now, then) > 0.0008f && std::fabs(excess) < 0.9f) return then < now - 0.0002f;
    return excess > 0.02f;
  }

  bool flip_stays_upright(uint32_t a, uint32_t b, uint32_t c, uint32_t d) const {
    const auto& p = mesh_.positions;
    const auto normal = [&](uint32_t i, uint32_t j, uint32_t k) { return cross(p[j] - p[i], p[k] - p[i]); };
    const V3 before = unit(normal(a, b, c) + normal(b, a, d));
    const V3 first = normal(a, d, c), second = normal(b, c, d);
    return dot(first, before) > 0.5f * length(first) && dot(second, before) > 0.5f * length(second);
  }

  // Moves vertices along the surface toward the middle of their neighbours.
  void slide() {
    const size_t n = mesh_.positions.size();
    std::vector<V3> sum(n, V3{0, 0, 0});
    std::vector<float> weight(n, 0);
    for (const Triangle& t : mesh_.triangles) {
      const V3 middle = (mesh_.positions[t[0]] + mesh_.positions[t[1]] + mesh_.positions[t[2]]) * (1.0f / 3);
      // Divide by the wanted size, or all vertices would move toward where triangles are large.
      const float l = (size_[t[0]] + size_[t[1]] + size_[t[2]]) / 3;
      const float area = length(area_normal(mesh_.positions, t)) / (l * l);
      for (const uint32_t v : t) sum[v] += middle * area, weight[v] += area;
    }
    const std::vector<V3> normals = vertex_normals(mesh_.positions, mesh_.triangles);
    for (size_t v = 0; v < n; ++v) {
      if (!(weight[v] > 0)) continue;
      const V3 way = sum[v] * (1 / weight[v]) - mesh_.positions[v];
      mesh_.positions[v] += (way - normals[v] * dot(normals[v], way)) * 0.6f;
    }
    project(mesh_.positions, surface_);
  }

  Mesh& mesh_;
  const Surface& surface_;
  const RemeshOptions& options_;
  std::vector<float> size_;
};

}  // namespace

void remesh(Mesh& mesh, const Surface& surface, const RemeshOptions& options) {
  Remesher(mesh, surface, options).run();
}

}  // namespace billow::body
