#include "body/agreement.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <unordered_set>

#include "body/mesh_distance.h"
#include "body/surface.h"

namespace billow::body {
namespace {

constexpr float kCell = 0.05f;

// Random points, evenly spread over cells that together hold all within `reach` of the vertices.
class NearPoints {
 public:
  NearPoints(const std::vector<V3>& vertices, float reach, uint32_t seed) : engine_(seed) {
    low_ = vertices[0];
    for (const V3& p : vertices) low_ = {std::min(low_.x, p.x), std::min(low_.y, p.y), std::min(low_.z, p.z)};
    // Edges are shorter than 5 cm, so that a point of the surface is at most 3 cm from a vertex.
    const float far = reach + 0.03f;
    low_ -= V3{far, far, far};
    std::unordered_set<uint64_t> known;
    for (const V3& p : vertices) {
      const V3 q = p - low_;
      for (int z = cell(q.z - far); z <= cell(q.z + far); ++z)
        for (int y = cell(q.y - far); y <= cell(q.y + far); ++y)
          for (int x = cell(q.x - far); x <= cell(q.x + far); ++x)
            if (known
                    .insert((static_cast<uint64_t>(z) << 40) | (static_cast<uint64_t>(y) << 20) |
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
  static int cell(float v) { return std::max(0, static_cast<int>(std::floor(v / kCell))); }
  float at(int c) {
    return (static_cast<float>(c) + static_cast<float>(static_cast<double>(engine_()) / 4294967296.0)) *
           kCell;
  }
  std::mt19937 engine_;
  V3 low_;
  std::vector<Cell> cells_;
};

void summarise(PosedAgreement& a) {
  a.points = a.errors.size();
  if (a.errors.empty()) return;
  std::vector<float> sizes;
  double sum = 0;
  for (const float e : a.errors) sizes.push_back(std::fabs(e)), sum += static_cast<double>(std::fabs(e));
  std::sort(sizes.begin(), sizes.end());
  a.mean = sum / static_cast<double>(sizes.size());
  a.p95 = static_cast<double>(sizes[sizes.size() * 95 / 100]);
  a.most = static_cast<double>(sizes.back());
}

// By differences; 0 where they say that it is not a slope of 1.
V3 gradient_at(const MeshDistance& exact, V3 p) {
  constexpr float kStep = 0.0005f, kKink = 0.01f;
  const auto along = [&](V3 step) { return (exact.at(p + step) - exact.at(p - step)) / (2 * kStep); };
  const V3 g{along({kStep, 0, 0}), along({0, kStep, 0}), along({0, 0, kStep})};
  const float l = length(g);
  return std::fabs(l - 1) > kKink ? V3{0, 0, 0} : g * (1 / l);
}

// Where the vertex nearest to a point is at rest.
V3 rest_of_nearest(const std::vector<V3>& posed, const std::vector<V3>& rest, V3 p) {
  size_t nearest = 0;
  for (size_t v = 1; v < posed.size(); ++v)
    if (length(posed[v] - p) < length(posed[nearest] - p)) nearest = v;
  return rest[nearest];
}

}  // namespace

PointsNearSkin points_near_skin(const Skeleton& skeleton, const Skin& skin, const Pose& pose, size_t points,
                                uint32_t seed, float reach, bool gradients) {
  PointsNearSkin out;
  out.joints = joint_transforms(skeleton, pose);
  Mesh posed = skin.mesh;
  skin_vertices(skin, out.joints, posed.positions);
  const MeshDistance exact(posed);
  // Keep the points that are within reach.
  NearPoints near(posed.positions, reach, seed);
  while (out.points.size() < points) {
    const V3 p = near.next();
    const float d = exact.at(p);
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
    ++out.wrong;
    const double depth = static_cast<double>(std::fabs(exact));
    if (depth > out.wrong_sign) out.wrong_sign = depth, deepest = i;
  }
  if (deepest < near.points.size()) {
    std::vector<V3> posed(skin.mesh.positions.size());
    skin_vertices(skin, near.joints, posed);
    out.wrong_at = rest_of_nearest(posed, skin.mesh.positions, near.points[deepest]);
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

PosedAgreement together(const std::vector<PosedAgreement>& parts) {
  PosedAgreement out;
  for (const PosedAgreement& part : parts) {
    out.errors.insert(out.errors.end(), part.errors.begin(), part.errors.end());
    out.wrong += part.wrong;
    if (part.wrong_sign > out.wrong_sign) {
      out.wrong_sign = part.wrong_sign;
      out.wrong_at = part.wrong_at;
    }
  }
  summarise(out);
  return out;
}

}  // namespace billow::body
