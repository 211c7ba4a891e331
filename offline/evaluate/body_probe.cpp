#include "evaluate/body_probe.h"

#include <algorithm>
#include <array>

namespace billow::evaluate {
namespace {

constexpr float kProbeLimit = 0.02f;  // m, distances to the body are exact up to this
constexpr std::array<float, 3> kAlongEdge{0.25f, 0.5f, 0.75f};
constexpr float kThirdShare = 1.0f / 3, kFarShare = 2.0f / 3, kNearShare = 1.0f / 6;
constexpr std::array<std::array<float, 3>, 4> kInFace{{{kThirdShare, kThirdShare, kThirdShare},
                                                       {kFarShare, kNearShare, kNearShare},
                                                       {kNearShare, kFarShare, kNearShare},
                                                       {kNearShare, kNearShare, kFarShare}}};

}  // namespace

void InsideSums::add(const InsideSums& o) {
  vertices += o.vertices, edges += o.edges, faces += o.faces;
  deepest_vertex = std::max(deepest_vertex, o.deepest_vertex);
  deepest_edge = std::max(deepest_edge, o.deepest_edge);
  deepest_face = std::max(deepest_face, o.deepest_face);
}

InsideSums BodyProbe::measure(const body::Surface& body, std::span<const V3> world) {
  InsideSums sums;
  std::vector<float>& d = vertex_distances_;
  d.resize(world.size());
  body.query(world, d, {}, kProbeLimit);
  for (const float distance : d) {
    sums.vertices += distance < 0 ? 1 : 0;
    sums.deepest_vertex = std::max(sums.deepest_vertex, -static_cast<double>(distance));
  }

  // Distance is 1-Lipschitz: skip samples nearer to an end, or corner, than that is to the body.
  inside_.assign(edges_.size(), 0), samples_.clear();
  for (uint32_t i = 0; i < edges_.size(); ++i) {
    const Edge& e = edges_[i];
    const V3 a = world[e.a], b = world[e.b];
    const float l = length(b - a);
    inside_[i] = d[e.a] < 0 || d[e.b] < 0;
    for (const float t : kAlongEdge)
      if (d[e.a] <= t * l && d[e.b] <= (1 - t) * l) samples_.push_back({i, a * (1 - t) + b * t});
  }
  count(body, sums.edges, sums.deepest_edge);

  inside_.assign(triangles_.size(), 0), samples_.clear();
  for (uint32_t i = 0; i < triangles_.size(); ++i) {
    const garment::Triangle& t = triangles_[i];
    for (const uint32_t v : t) inside_[i] |= d[v] < 0;
    for (const auto& w : kInFace) {
      const V3 p = world[t[0]] * w[0] + world[t[1]] * w[1] + world[t[2]] * w[2];
      if (std::all_of(t.begin(), t.end(), [&](uint32_t v) { return d[v] <= length(p - world[v]); }))
        samples_.push_back({i, p});
    }
  }
  count(body, sums.faces, sums.deepest_face);
  return sums;
}

void BodyProbe::count(const body::Surface& body, double& inside, double& deepest) {
  points_.clear();
  for (const Sample& s : samples_) points_.push_back(s.point);
  distances_.resize(points_.size());
  body.query(points_, distances_, {}, kProbeLimit);
  for (size_t i = 0; i < samples_.size(); ++i) {
    if (distances_[i] < 0) inside_[samples_[i].element] = 1;
    deepest = std::max(deepest, -static_cast<double>(distances_[i]));
  }
  inside += static_cast<double>(std::count(inside_.begin(), inside_.end(), 1));
}

}  // namespace billow::evaluate
