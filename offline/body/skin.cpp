#include "body/skin.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>

#include "body/polygonise.h"
#include "body/surface.h"

namespace billow::body {
namespace {

struct Bounds {
  V3 low{1e30f, 1e30f, 1e30f}, high{-1e30f, -1e30f, -1e30f};
  void include(V3 p, float r) {
    low = {std::min(low.x, p.x - r), std::min(low.y, p.y - r), std::min(low.z, p.z - r)};
    high = {std::max(high.x, p.x + r), std::max(high.y, p.y + r), std::max(high.z, p.z + r)};
  }
};

Bounds bounds_of(std::span<const billow_collider> colliders) {
  Bounds bounds;
  for (const billow_collider& c : colliders) {
    const V3 at{c.position[0], c.position[1], c.position[2]}, end{c.end[0], c.end[1], c.end[2]};
    switch (c.shape) {
      case BILLOW_SPHERE:
        bounds.include(at, c.radius);
        break;
      case BILLOW_CAPSULE:
      case BILLOW_TAPERED_CAPSULE:
        bounds.include(at, c.radius);
        bounds.include(end, c.shape == BILLOW_CAPSULE ? c.radius : c.radius_end);
        break;
      case BILLOW_ELLIPSOID:
      case BILLOW_BOX:
        bounds.include(at, length(V3{c.half_extents[0], c.half_extents[1], c.half_extents[2]}));
        break;
      case BILLOW_HALF_SPACE:
      case BILLOW_CUSTOM:
        throw std::invalid_argument(
            "skin: half spaces and custom colliders have no surface to make a skin from");
    }
  }
  return bounds;
}

// One row of weights a vertex, one column a joint.
struct WeightTable {
  size_t joints;
  std::vector<float> values;
  float* row(size_t vertex) { return values.data() + vertex * joints; }
};

// Shares each vertex out to the colliders by how near they are, and so to their joints.
WeightTable collider_weights(const Mesh& mesh, const Skeleton& skeleton,
                             std::span<const billow_collider> colliders, float softness) {
  const size_t n = mesh.positions.size();
  std::vector<std::vector<float>> distance(colliders.size(), std::vector<float>(n));
  std::vector<float> nearest(n, 1e30f);
  for (size_t c = 0; c < colliders.size(); ++c) {
    billow_collider alone = colliders[c];
    alone.blend_with = BILLOW_NO_BLEND;
    Surface(skeleton, {&alone, 1}).query(mesh.positions, distance[c]);
    for (size_t v = 0; v < n; ++v) nearest[v] = std::min(nearest[v], distance[c][v]);
  }
  WeightTable table{skeleton.size(), std::vector<float>(n * skeleton.size(), 0)};
  for (size_t v = 0; v < n; ++v) {
    float* row = table.row(v);
    for (size_t c = 0; c < colliders.size(); ++c) {
      const float share = std::exp((nearest[v] - distance[c][v]) / softness);
      float sum = 0;
      for (const float w : colliders[c].weight) sum += w;
      for (size_t k = 0; k < BILLOW_JOINTS_PER_COLLIDER; ++k)
        if (colliders[c].weight[k] > 0) row[colliders[c].joint[k]] += share * colliders[c].weight[k] / sum;
    }
    const float total = std::accumulate(row, row + table.joints, 0.0f);
    std::for_each(row, row + table.joints, [total](float& w) { w /= total; });
  }
  return table;
}

void smooth(WeightTable& table, const Mesh& mesh, int rounds) {
  const std::vector<Edge> edges = edges_of(mesh);
  std::vector<float> count(mesh.positions.size(), 0);
  for (const Edge& e : edges) ++count[e.a], ++count[e.b];
  for (int round = 0; round < rounds; ++round) {
    WeightTable sum{table.joints, std::vector<float>(table.values.size(), 0)};
    for (const Edge& e : edges)
      for (size_t j = 0; j < table.joints; ++j) {
        sum.row(e.a)[j] += table.row(e.b)[j];
        sum.row(e.b)[j] += table.row(e.a)[j];
      }
    for (size_t v = 0; v < count.size(); ++v)
      for (size_t j = 0; j < table.joints; ++j)
        table.row(v)[j] = 0.5f * table.row(v)[j] + 0.5f * sum.row(v)[j] / count[v];
  }
}

// Keeps the largest weights of each vertex.
void store_weights(WeightTable& table, Skin& skin) {
  const size_t n = skin.mesh.positions.size();
  skin.joints.assign(n, {});
  skin.weights.assign(n, {});
  std::vector<uint32_t> order(table.joints);
  for (size_t v = 0; v < n; ++v) {
    const float* row = table.row(v);
    std::iota(order.begin(), order.end(), 0u);
    std::partial_sort(order.begin(), order.begin() + std::min(kJointsPerVertex, table.joints), order.end(),
                      [row](uint32_t a, uint32_t b) { return row[a] != row[b] ? row[a] > row[b] : a < b; });
    float sum = 0;
    for (size_t k = 0; k < std::min(kJointsPerVertex, table.joints); ++k) {
      // What moves a vertex by less than a hair's breadth is left out.
      if (row[order[k]] < 0.002f) break;
      skin.joints[v][k] = order[k];
      skin.weights[v][k] = row[order[k]];
      sum += row[order[k]];
    }
    for (float& w : skin.weights[v]) w /= sum;
  }
}

}  // namespace

Skin make_skin(const Skeleton& skeleton, std::span<const billow_collider> colliders,
               const SkinOptions& options) {
  validate(skeleton);
  if (colliders.empty()) throw std::invalid_argument("skin: expected colliders, found none");
  const Surface surface(skeleton, colliders);
  Bounds bounds = bounds_of(colliders);
  for (const billow_collider& c : colliders)
    bounds.include({c.position[0], c.position[1], c.position[2]}, 2 * options.spacing + c.blend_radius);
  const V3 rim{2 * options.spacing, 2 * options.spacing, 2 * options.spacing};

  Skin skin;
  skin.mesh = polygonise(surface, bounds.low - rim, bounds.high + rim, options.spacing);
  if (const Topology t = topology_of(skin.mesh); t.components != 1)
    throw std::runtime_error("skin: expected one closed piece, found " + std::to_string(t.components));
  RemeshOptions remeshing;
  remeshing.vertices = options.vertices;
  remesh(skin.mesh, surface, remeshing);

  WeightTable table = collider_weights(skin.mesh, skeleton, colliders, options.softness);
  smooth(table, skin.mesh, options.smoothing);
  store_weights(table, skin);
  skin.joint_rest = rest_transforms(skeleton);
  return skin;
}

void skin_vertices(const Skin& skin, std::span<const Transform> joints, std::span<V3> out) {
  if (joints.size() != skin.joint_rest.size() || out.size() != skin.mesh.positions.size())
    throw std::invalid_argument("skin: expected " + std::to_string(skin.joint_rest.size()) + " joints and " +
                                std::to_string(skin.mesh.positions.size()) + " vertices");
  std::vector<Transform> moved;
  moved.reserve(joints.size());
  for (size_t j = 0; j < joints.size(); ++j) moved.push_back(joints[j] * inverse(skin.joint_rest[j]));
  for (size_t v = 0; v < out.size(); ++v) {
    V3 sum{0, 0, 0};
    for (size_t k = 0; k < kJointsPerVertex; ++k)
      if (skin.weights[v][k] > 0)
        sum += apply(moved[skin.joints[v][k]], skin.mesh.positions[v]) * skin.weights[v][k];
    out[v] = sum;
  }
}

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
    float most = 0;
    for (const float d : phi) {
      most = std::max(most, std::fabs(d));
      sum += static_cast<double>(std::fabs(d));
    }
    count += points.size();
    return most;
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

}  // namespace billow::body
