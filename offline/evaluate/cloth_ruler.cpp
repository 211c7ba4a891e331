#include "evaluate/cloth_ruler.h"

#include <algorithm>
#include <cmath>
#include <queue>

#include "garment/cloth_mesh.h"

namespace billow::evaluate {
namespace {

// A disc of 10 cm has hundreds of vertices; this many, evenly chosen, give the same mean.
constexpr size_t kMostMembers = 48;
// Centres of a scale are about this share of it apart: neighbours have nearly the same curvature.
constexpr double kCentreSpacing = 0.25;

// Paths along edges are up to so many times as long as straight ones; they keep out what is near on the pattern but not
// connected.
constexpr float kLongestDetour = 1.4f;
constexpr float kTurnDistance = 0.03f;  // m
constexpr uint32_t kTurnEvery = 5;      // vertices

struct Reached {
  float distance;
  uint32_t vertex;
  bool operator>(const Reached& o) const {
    return distance != o.distance ? distance > o.distance : vertex > o.vertex;
  }
};

// Distances along edges from one vertex at a time (Dijkstra).
class EdgePaths {
 public:
  EdgePaths(size_t vertices, std::span<const Edge> edges) : next_(vertices), distance_(vertices, kFar) {
    for (const Edge& e : edges) {
      next_[e.a].push_back({e.length, e.b});
      next_[e.b].push_back({e.length, e.a});
    }
  }
  // All vertices up to `reach` away, from near to far, those of `from` first.
  std::vector<Reached> around(std::span<const uint32_t> from, float reach) {
    std::vector<Reached> found;
    std::priority_queue<Reached, std::vector<Reached>, std::greater<>> front;
    for (const uint32_t v : from) front.push({0, v}), touched_.push_back(v), distance_[v] = 0;
    while (!front.empty()) {
      const Reached at = front.top();
      front.pop();
      if (at.distance > distance_[at.vertex]) continue;
      found.push_back(at);
      for (const Reached& step : next_[at.vertex]) {
        const float d = at.distance + step.distance;
        if (d > reach || d >= distance_[step.vertex]) continue;
        distance_[step.vertex] = d;
        touched_.push_back(step.vertex);
        front.push({d, step.vertex});
      }
    }
    for (const uint32_t v : touched_) distance_[v] = kFar;
    touched_.clear();
    return found;
  }
  std::vector<Reached> neighbours(uint32_t of) const { return next_[of]; }

 private:
  static constexpr float kFar = 1e30f;
  std::vector<std::vector<Reached>> next_;
  std::vector<float> distance_;
  std::vector<uint32_t> touched_;
};

std::vector<Reached> thinned(std::vector<Reached> all) {
  if (all.size() <= kMostMembers) return all;
  std::vector<Reached> kept;
  for (size_t i = 0; i < kMostMembers; ++i) kept.push_back(all[i * all.size() / kMostMembers]);
  return kept;
}

float mean_square(const std::vector<Reached>& all) {
  float sum = 0;
  for (const Reached& r : all) sum += r.distance * r.distance;
  return sum / static_cast<float>(all.size());
}

V3 area_normal(const garment::Triangle& t, std::span<const V3> x) {
  return cross(x[t[1]] - x[t[0]], x[t[2]] - x[t[0]]);
}

std::vector<V3> vertex_normals(std::span<const garment::Triangle> triangles, std::span<const V3> x) {
  std::vector<V3> normals(x.size());
  for (const garment::Triangle& t : triangles) {
    const V3 n = area_normal(t, x);
    for (const uint32_t v : t) normals[v] += n;
  }
  return normals;
}

float angle_between(V3 a, V3 b) { return std::atan2(length(cross(a, b)), dot(a, b)); }

}  // namespace

void CurvatureHistogram::add(double value) {
  const double at = (value / kMost + 1) / 2 * static_cast<double>(kBins);
  bins_[static_cast<size_t>(std::clamp(at, 0.0, static_cast<double>(kBins - 1)))] += 1;
  count_ += 1, sum_ += std::min(std::fabs(value), kMost);
}

void CurvatureHistogram::add(const CurvatureHistogram& other) {
  for (size_t i = 0; i < kBins; ++i) bins_[i] += other.bins_[i];
  count_ += other.count_, sum_ += other.sum_;
}

double CurvatureHistogram::distance(const CurvatureHistogram& reference) const {
  if (count_ == 0 || reference.count_ == 0 || !(reference.sum_ > 0)) return 0;
  double area = 0, difference = 0;
  for (size_t i = 0; i < kBins; ++i) {
    difference += bins_[i] / count_ - reference.bins_[i] / reference.count_;
    area += std::fabs(difference);
  }
  return area * 2 * kMost / static_cast<double>(kBins) / reference.mean_absolute();
}

ClothRuler::ClothRuler(const garment::Garment& garment)
    : edges_(edges_of(garment)), triangles_(garment.triangles) {
  for (const Edge& e : edges_) mean_edge_ += static_cast<double>(e.length);
  mean_edge_ /= std::max(1.0, static_cast<double>(edges_.size()));
  const garment::ClothTopology topology = garment::topology_of(garment.size(), garment.triangles);
  for (uint32_t t = 0; t < triangles_.size(); ++t)
    for (const uint32_t other : topology.across[t])
      if (other != garment::kNoTriangle && t < other) hinges_.push_back({t, other});
  for (size_t s = 0; s < kScales; ++s) scales_[s] = neighbourhoods(garment, s);
  find_turns(garment);
  find_hem(garment);
}

ClothRuler::Neighbourhoods ClothRuler::neighbourhoods(const garment::Garment& garment, size_t scale) const {
  const auto vertices = static_cast<uint32_t>(garment.size());
  EdgePaths paths(vertices, edges_);
  const auto s = static_cast<float>(scale_length(scale));
  const double per_centre = std::pow(kCentreSpacing * scale_length(scale) / mean_edge_, 2);
  const auto every = static_cast<uint32_t>(std::max(1.0, scale == 0 ? 1.0 : per_centre));
  Neighbourhoods out;
  for (uint32_t v = 0; v < vertices; v += every) {
    std::vector<Reached> disc, ring;
    if (scale == 0) {
      disc = {{0, v}}, ring = paths.neighbours(v);
    } else {
      for (const Reached& path : paths.around({&v, 1}, kLongestDetour * 1.2f * s)) {
        const Reached r{garment::rest_distance(garment, v, path.vertex), path.vertex};
        if (r.distance <= 0.5f * s) disc.push_back(r);
        if (r.distance >= 0.8f * s && r.distance <= 1.2f * s) ring.push_back(r);
      }
    }
    // On a mesh coarser than the scale a vertex may have no ring.
    if (ring.empty()) continue;
    disc = thinned(disc), ring = thinned(ring);
    Neighbourhoods::Centre c{v, static_cast<uint32_t>(out.members.size()), 0, 0, 0};
    for (const Reached& r : disc) out.members.push_back(r.vertex);
    c.ring = static_cast<uint32_t>(out.members.size());
    for (const Reached& r : ring) out.members.push_back(r.vertex);
    c.end = static_cast<uint32_t>(out.members.size());
    c.factor = 2 * s / (mean_square(ring) - mean_square(disc));
    out.centres.push_back(c);
  }
  return out;
}

double ClothRuler::squared_bend(std::span<const V3> x) const {
  std::vector<V3> normals;
  normals.reserve(triangles_.size());
  for (const garment::Triangle& t : triangles_) normals.push_back(area_normal(t, x));
  double sum = 0;
  for (const auto& [a, b] : hinges_) {
    const auto angle = static_cast<double>(angle_between(normals[a], normals[b]));
    sum += angle * angle;
  }
  return sum;
}

void ClothRuler::add_curvature(std::span<const V3> x, size_t scale, CurvatureHistogram& to) const {
  const std::vector<V3> normals = vertex_normals(triangles_, x);
  const Neighbourhoods& all = scales_[scale];
  for (const Neighbourhoods::Centre& c : all.centres) {
    V3 normal{0, 0, 0}, disc{0, 0, 0}, ring{0, 0, 0};
    for (uint32_t i = c.disc; i < c.ring; ++i) normal += normals[all.members[i]], disc += x[all.members[i]];
    for (uint32_t i = c.ring; i < c.end; ++i) ring += x[all.members[i]];
    const V3 offset =
        ring * (1 / static_cast<float>(c.end - c.ring)) - disc * (1 / static_cast<float>(c.ring - c.disc));
    const float l = length(normal);
    to.add(l > 0 ? static_cast<double>(c.factor * dot(normal, offset) / l) : 0);
  }
}

void ClothRuler::find_turns(const garment::Garment& garment) {
  constexpr float kStep = 0.1f;  // of kTurnDistance, either way
  constexpr float kAlong = 0.9f, kAcross = 0.2f;
  EdgePaths paths(garment.size(), edges_);
  std::vector<uint32_t> attached;
  for (const garment::Attachment& a : garment.attachments) attached.push_back(a.vertex);
  std::vector<float> depth(garment.size());
  for (const Reached& r : paths.around(attached, 1e6f)) depth[r.vertex] = r.distance;
  for (uint32_t v = 0; v < garment.size(); v += kTurnEvery)
    for (const Reached& path : paths.around({&v, 1}, kLongestDetour * (1 + kStep) * kTurnDistance)) {
      const float distance = garment::rest_distance(garment, v, path.vertex);
      if (std::fabs(distance - kTurnDistance) > kStep * kTurnDistance) continue;
      const float along = std::fabs(depth[v] - depth[path.vertex]) / distance;
      if (along > kAlong) along_.push_back({v, path.vertex});
      if (along < kAcross) across_.push_back({v, path.vertex});
    }
}

void ClothRuler::add_turns(std::span<const V3> x, Turns& to) const {
  const std::vector<V3> normals = vertex_normals(triangles_, x);
  for (const auto& [a, b] : along_) to.along.add(angle_between(normals[a], normals[b]));
  for (const auto& [a, b] : across_) to.across.add(angle_between(normals[a], normals[b]));
}

void ClothRuler::find_hem(const garment::Garment& garment) {
  const std::vector<V3>& rest = garment.rest.empty() ? garment.shape : garment.rest;
  std::vector<V3> bones(garment.bones.size());
  garment::bone_positions(garment, rest, bones);
  std::vector<bool> tip(bones.size());
  for (const auto& chain : garment.chains)
    if (!chain.empty()) tip[chain.back()] = true;
  for (const auto& border : garment::topology_of(garment.size(), garment.triangles).borders)
    for (const uint32_t v : border) {
      const auto nearest = std::min_element(
          bones.begin(), bones.end(), [&](V3 a, V3 b) { return length(a - rest[v]) < length(b - rest[v]); });
      if (nearest != bones.end() && tip[static_cast<size_t>(nearest - bones.begin())]) hem_.push_back(v);
    }
}

double ClothRuler::hem_area(std::span<const V3> world) const {
  std::vector<std::array<double, 2>> points;
  for (const uint32_t v : hem_)
    points.push_back({static_cast<double>(world[v].x), static_cast<double>(world[v].z)});
  return hull_area(std::move(points));
}

double hull_area(std::vector<std::array<double, 2>> points) {
  // Build the lower and upper hulls from left to right (Andrew, "Another Efficient Algorithm for Convex Hulls
  // in Two Dimensions", 1979).
  std::sort(points.begin(), points.end());
  if (points.size() < 3) return 0;
  const auto turn = [](const auto& a, const auto& b, const auto& c) {
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
  };
  std::vector<std::array<double, 2>> hull;
  for (int side = 0; side < 2; ++side) {
    const size_t start = hull.size();
    for (const auto& p : points) {
      while (hull.size() >= start + 2 && turn(hull[hull.size() - 2], hull.back(), p) <= 0) hull.pop_back();
      hull.push_back(p);
    }
    hull.pop_back();
    std::reverse(points.begin(), points.end());
  }
  double twice = 0;
  for (size_t i = 0; i < hull.size(); ++i) {
    const auto &a = hull[i], &b = hull[(i + 1) % hull.size()];
    twice += a[0] * b[1] - a[1] * b[0];
  }
  return std::fabs(twice) / 2;
}

}  // namespace billow::evaluate
