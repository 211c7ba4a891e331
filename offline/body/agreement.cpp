#include "body/agreement.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <unordered_set>

#include "body/mesh_distance.h"
#include "body/surface.h"

namespace billow::body {
namespace {

constexpr float kCellSize = 0.05f;

// Uniform random points in the union of the grid cells within `reach` of the surface.
class NearPoints {
 public:
  NearPoints(const std::vector<V3>& vertices, float reach, uint32_t seed) : engine_(seed) {
    low_ = vertices[0];
    for (const V3& p : vertices) low_ = {std::min(low_.x, p.x), std::min(low_.y, p.y), std::min(low_.z, p.z)};
    // Edges are shorter than 5 cm, so surface points are at most 3 cm from a vertex.
    const float margin = reach + 0.03f;
    low_ -= V3{margin, margin, margin};
    std::unordered_set<uint64_t> seen;
    for (const V3& p : vertices) {
      const V3 q = p - low_;
      for (int z = cell(q.z - margin); z <= cell(q.z + margin); ++z)
        for (int y = cell(q.y - margin); y <= cell(q.y + margin); ++y)
          for (int x = cell(q.x - margin); x <= cell(q.x + margin); ++x)
            if (seen.insert((static_cast<uint64_t>(z) << 40) | (static_cast<uint64_t>(y) << 20) |
                            static_cast<uint64_t>(x))
                    .second)
              cells_.push_back({x, y, z});
    }
  }
  V3 next() {
    const Cell& c = cells_[engine_() % cells_.size()];
    return low_ + V3{at(c.x), at(c.y), at(c.z)};
  }

 private:
  struct Cell {
    int x, y, z;
  };
  static int cell(float v) { return std::max(0, static_cast<int>(std::floor(v / kCellSize))); }
  float at(int c) {
    return (static_cast<float>(c) + static_cast<float>(static_cast<double>(engine_()) / 4294967296.0)) *
           kCellSize;
  }
  std::mt19937 engine_;
  V3 low_;
  std::vector<Cell> cells_;
};

void summarise(PosedAgreement& a) {
  a.points = a.errors.size();
  if (a.errors.empty()) return;
  std::vector<float> magnitudes;
  double sum = 0;
  for (const float e : a.errors) magnitudes.push_back(std::fabs(e)), sum += static_cast<double>(std::fabs(e));
  std::sort(magnitudes.begin(), magnitudes.end());
  a.mean = sum / static_cast<double>(magnitudes.size());
  a.p95 = static_cast<double>(magnitudes[magnitudes.size() * 95 / 100]);
  a.max = static_cast<double>(magnitudes.back());
}

// Central differences; 0 where the slope differs from 1, that is at kinks.
V3 gradient_at(const MeshDistance& exact, V3 p) {
  constexpr float kStep = 0.0005f, kMaxSlopeError = 0.01f;
  const auto along = [&](V3 step) { return (exact.at(p + step) - exact.at(p - step)) / (2 * kStep); };
  const V3 g{along({kStep, 0, 0}), along({0, kStep, 0}), along({0, 0, kStep})};
  const float l = length(g);
  return std::fabs(l - 1) > kMaxSlopeError ? V3{0, 0, 0} : g * (1 / l);
}

// Rest position of the posed vertex nearest to a point.
V3 rest_of_nearest(const std::vector<V3>& posed, const std::vector<V3>& rest, V3 p) {
  size_t nearest = 0;
  for (size_t v = 1; v < posed.size(); ++v)
    if (length(posed[v] - p) < length(posed[nearest] - p)) nearest = v;
  return rest[nearest];
}

}  // namespace

RestAgreement rest_agreement(const Skin& skin, const Skeleton& skeleton,
                             std::span<const billow_collider> colliders) {
  const Surface surface(skeleton, colliders);
  const std::vector<V3>& p = skin.mesh.positions;
  RestAgreement out{};
  double sum = 0;
  size_t count = 0;
  const auto measure = [&](const std::vector<V3>& points) {
    std::vector<float> phi(points.size());
    surface.query(points, phi);
    float largest = 0;
    for (const float d : phi) {
      largest = std::max(largest, std::fabs(d));
      sum += static_cast<double>(std::fabs(d));
    }
    count += points.size();
    return largest;
  };
  out.vertices = measure(p);
  std::vector<V3> middles;
  for (const Edge& e : edges_of(skin.mesh)) middles.push_back((p[e.a] + p[e.b]) * 0.5f);
  out.edges = measure(middles);
  middles.clear();
  for (const Triangle& t : skin.mesh.triangles) middles.push_back((p[t[0]] + p[t[1]] + p[t[2]]) * (1.0f / 3));
  out.faces = measure(middles);
  out.mean = static_cast<float>(sum / static_cast<double>(count));
  return out;
}

PointsNearSkin points_near_skin(const Skeleton& skeleton, const Skin& skin, const Pose& pose, size_t points,
                                uint32_t seed, float reach, bool gradients) {
  PointsNearSkin out;
  out.joints = joint_transforms(skeleton, pose);
  Mesh posed = skin.mesh;
  skin_vertices(skin, out.joints, posed.positions);
  const MeshDistance exact(posed);
  // Rejection sampling.
  NearPoints near(posed.positions, reach, seed);
  while (out.points.size() < points) {
    const V3 p = near.next();
    const float d = exact.at(p, 1.01f * reach);
    if (std::fabs(d) > reach) continue;
    out.points.push_back(p);
    out.distances.push_back(d);
    if (gradients) out.gradients.push_back(gradient_at(exact, p));
  }
  return out;
}

PosedAgreement agreement_of(const Skin& skin, const PointsNearSkin& near, std::span<const float> distances) {
  PosedAgreement out;
  size_t deepest = near.points.size();
  for (size_t i = 0; i < near.points.size(); ++i) {
    const float phi = distances[i], exact = near.distances[i];
    out.errors.push_back(phi - exact);
    if ((phi < 0) == (exact < 0)) continue;
    ++out.wrong_side;
    const double depth = static_cast<double>(std::fabs(exact));
    if (depth > out.max_wrong_depth) out.max_wrong_depth = depth, deepest = i;
  }
  if (deepest < near.points.size()) {
    std::vector<V3> posed(skin.mesh.positions.size());
    skin_vertices(skin, near.joints, posed);
    out.deepest_wrong = rest_of_nearest(posed, skin.mesh.positions, near.points[deepest]);
  }
  summarise(out);
  return out;
}

PosedAgreement posed_agreement(const Person& person, const Skin& skin, const Pose& pose, size_t points,
                               uint32_t seed, float reach) {
  const PointsNearSkin near = points_near_skin(person.skeleton, skin, pose, points, seed, reach);
  Surface surface(person.skeleton, person.colliders);
  surface.pose(near.joints);
  std::vector<float> distances(points);
  surface.query(near.points, distances);
  return agreement_of(skin, near, distances);
}

PosedAgreement combine(const std::vector<PosedAgreement>& parts) {
  PosedAgreement out;
  for (const PosedAgreement& part : parts) {
    out.errors.insert(out.errors.end(), part.errors.begin(), part.errors.end());
    out.wrong_side += part.wrong_side;
    if (part.max_wrong_depth > out.max_wrong_depth) {
      out.max_wrong_depth = part.max_wrong_depth;
      out.deepest_wrong = part.deepest_wrong;
    }
  }
  summarise(out);
  return out;
}

}  // namespace billow::body
