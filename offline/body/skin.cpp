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
      case BILLOW_SHAPE_SPHERE:
        bounds.include(at, c.radius);
        break;
      case BILLOW_SHAPE_CAPSULE:
      case BILLOW_SHAPE_TAPERED_CAPSULE:
        bounds.include(at, c.radius);
        bounds.include(end, c.shape == BILLOW_SHAPE_CAPSULE ? c.radius : c.radius_end);
        break;
      case BILLOW_SHAPE_ELLIPSOID:
      case BILLOW_SHAPE_BOX:
        bounds.include(at, length(V3{c.half_extents[0], c.half_extents[1], c.half_extents[2]}));
        break;
      case BILLOW_SHAPE_GRID:
        bounds.include(at,
                       0.5f * c.grid->spacing *
                           length(V3{static_cast<float>(c.grid->size[0]), static_cast<float>(c.grid->size[1]),
                                     static_cast<float>(c.grid->size[2])}));
        break;
      case BILLOW_SHAPE_NEURAL:
        bounds.include(
            at, length(V3{c.neural->half_extents[0], c.neural->half_extents[1], c.neural->half_extents[2]}));
        break;
      case BILLOW_SHAPE_HALF_SPACE:
      case BILLOW_SHAPE_CUSTOM:
        throw std::invalid_argument(
            "skin: expected bounded colliders, found a half space or a custom collider");
    }
  }
  return bounds;
}

// Dense weights: one row per vertex, one column per joint.
struct WeightTable {
  size_t joints;
  std::vector<float> values;
  float* row(size_t vertex) { return values.data() + vertex * joints; }
};

// Weights by proximity: each collider's share falls off exponentially with the vertex's distance beyond that
// to the nearest collider, and is divided among its joints.
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

// Laplacian smoothing: moves each row by `share` of the way to the average of its neighbours.
void smooth(WeightTable& table, const Mesh& mesh, const std::vector<Edge>& edges, float share) {
  std::vector<float> count(mesh.positions.size(), 0);
  WeightTable sum{table.joints, std::vector<float>(table.values.size(), 0)};
  for (const Edge& e : edges) {
    ++count[e.a], ++count[e.b];
    for (size_t j = 0; j < table.joints; ++j) {
      sum.row(e.a)[j] += table.row(e.b)[j];
      sum.row(e.b)[j] += table.row(e.a)[j];
    }
  }
  for (size_t v = 0; v < mesh.positions.size(); ++v)
    for (size_t j = 0; j < table.joints; ++j)
      table.row(v)[j] += share * (sum.row(v)[j] / count[v] - table.row(v)[j]);
}

// Keeps the kJointsPerVertex largest weights of each vertex, normalised.
void store_largest(WeightTable& table, Skin& skin) {
  const size_t n = skin.mesh.positions.size(), kept = std::min(kJointsPerVertex, table.joints);
  skin.joints.assign(n, {});
  skin.weights.assign(n, {});
  std::vector<uint32_t> order(table.joints);
  for (size_t v = 0; v < n; ++v) {
    const float* row = table.row(v);
    std::iota(order.begin(), order.end(), 0u);
    std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(kept), order.end(),
                      [row](uint32_t a, uint32_t b) { return row[a] != row[b] ? row[a] > row[b] : a < b; });
    float sum = 0;
    for (size_t k = 0; k < kept; ++k) {
      // Drop weights too small to move a vertex visibly.
      if (row[order[k]] < 0.002f) break;
      skin.joints[v][k] = order[k];
      skin.weights[v][k] = row[order[k]];
      sum += row[order[k]];
    }
    for (float& w : skin.weights[v]) w /= sum;
  }
}

WeightTable to_table(const Skin& skin) {
  WeightTable table{skin.joint_rest.size(),
                    std::vector<float>(skin.weights.size() * skin.joint_rest.size(), 0)};
  for (size_t v = 0; v < skin.weights.size(); ++v)
    for (size_t k = 0; k < kJointsPerVertex; ++k)
      if (skin.weights[v][k] > 0) table.row(v)[skin.joints[v][k]] = skin.weights[v][k];
  return table;
}

// The normal equations of one vertex.
struct NormalEquations {
  float a[kJointsPerVertex][kJointsPerVertex] = {};
  float b[kJointsPerVertex] = {};
};

// Gaussian elimination without pivoting; the matrix is positive definite.
void solve(NormalEquations& m, float out[kJointsPerVertex]) {
  for (size_t i = 0; i < kJointsPerVertex; ++i)
    for (size_t r = i + 1; r < kJointsPerVertex; ++r) {
      const float f = m.a[r][i] / m.a[i][i];
      for (size_t c = i; c < kJointsPerVertex; ++c) m.a[r][c] -= f * m.a[i][c];
      m.b[r] -= f * m.b[i];
    }
  for (size_t i = kJointsPerVertex; i-- > 0;) {
    out[i] = m.b[i];
    for (size_t c = i + 1; c < kJointsPerVertex; ++c) out[i] -= m.a[i][c] * out[c];
    out[i] /= m.a[i][i];
  }
}

// One Gauss-Newton round, for vertices bound to several joints (the weight of a single joint is always 1).
class WeightFit {
 public:
  explicit WeightFit(Skin& skin) : skin_(skin) {
    for (size_t v = 0; v < skin.weights.size(); ++v)
      if (skin.weights[v][1] > 0) vertices_.push_back(v);
    equations_.resize(vertices_.size());
    posed_.resize(vertices_.size());
    gradient_.resize(vertices_.size());
    phi_.resize(vertices_.size());
  }

  // Accumulates the normal equations of one pose. The derivative of phi by weight k is the gradient of phi
  // times the vertex as transformed by joint k alone, relative to the skinned vertex.
  void add_pose(Surface& surface, std::span<const Transform> joints) {
    std::vector<RigidMatrix> skinning;
    for (size_t j = 0; j < joints.size(); ++j)
      skinning.push_back(to_matrix(joints[j] * inverse(skin_.joint_rest[j])));
    std::vector<std::array<V3, kJointsPerVertex>> candidates(vertices_.size());
    for (size_t i = 0; i < vertices_.size(); ++i) {
      const size_t v = vertices_[i];
      posed_[i] = {0, 0, 0};
      for (size_t k = 0; k < kJointsPerVertex; ++k) {
        candidates[i][k] = transform_point(skinning[skin_.joints[v][k]], skin_.mesh.positions[v]);
        posed_[i] += candidates[i][k] * skin_.weights[v][k];
      }
    }
    surface.pose(joints);
    surface.query(posed_, phi_, gradient_);
    for (size_t i = 0; i < vertices_.size(); ++i) {
      const float r = residual(phi_[i]);
      float jacobian[kJointsPerVertex] = {};
      for (size_t k = 0; k < kJointsPerVertex; ++k)
        if (skin_.weights[vertices_[i]][k] > 0) jacobian[k] = dot(gradient_[i], candidates[i][k] - posed_[i]);
      for (size_t k = 0; k < kJointsPerVertex; ++k) {
        for (size_t l = 0; l < kJointsPerVertex; ++l) equations_[i].a[k][l] += jacobian[k] * jacobian[l];
        equations_[i].b[k] -= jacobian[k] * r;
      }
    }
  }

  // Solves for weight changes and applies them, clamped.
  void update_weights(float stiffness) {
    for (size_t i = 0; i < vertices_.size(); ++i) {
      for (size_t k = 0; k < kJointsPerVertex; ++k) equations_[i].a[k][k] += stiffness;
      float change[kJointsPerVertex], sum = 0;
      solve(equations_[i], change);
      std::array<float, kJointsPerVertex>& weights = skin_.weights[vertices_[i]];
      for (size_t k = 0; k < kJointsPerVertex; ++k) {
        if (weights[k] > 0) weights[k] = std::max(1e-4f, weights[k] + std::clamp(change[k], -0.2f, 0.2f));
        sum += weights[k];
      }
      for (float& w : weights) w /= sum;
    }
  }

 private:
  // Robust residual: tapers to 0 for deep vertices, which belong inside where parts touch or creases fold.
  static float residual(float phi) {
    constexpr float kMaxDepth = 0.020f;
    if (phi > -kMaxDepth) return std::min(phi, 0.030f);
    return std::min(0.0f, -2 * kMaxDepth - phi);
  }
  static V3 transform_point(const RigidMatrix& m, V3 p) {
    return V3{dot(m.rx, p), dot(m.ry, p), dot(m.rz, p)} + m.translation;
  }

  Skin& skin_;
  std::vector<size_t> vertices_;
  std::vector<NormalEquations> equations_;
  std::vector<V3> posed_, gradient_;
  std::vector<float> phi_;
};

// Binds each vertex to the joints of the colliders it lies on.
void bind_to_colliders(Skin& skin, const Skeleton& skeleton, std::span<const billow_collider> colliders,
                       const SkinOptions& options) {
  WeightTable table = collider_weights(skin.mesh, skeleton, colliders, options.softness);
  const std::vector<Edge> edges = edges_of(skin.mesh);
  for (int round = 0; round < options.smoothing; ++round) smooth(table, skin.mesh, edges, 0.5f);
  store_largest(table, skin);
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
  const V3 margin{2 * options.spacing, 2 * options.spacing, 2 * options.spacing};

  Skin skin;
  skin.mesh = polygonise(surface, bounds.low - margin, bounds.high + margin, options.spacing);
  if (const Topology t = topology_of(skin.mesh); t.components != 1)
    throw std::runtime_error("skin: expected one connected component, found " + std::to_string(t.components));
  RemeshOptions remesh_options;
  remesh_options.vertices = options.vertices;
  remesh(skin.mesh, surface, remesh_options);

  bind_to_colliders(skin, skeleton, colliders, options);
  skin.joint_rest = rest_transforms(skeleton);
  return skin;
}

void skin_vertices(const Skin& skin, std::span<const Transform> joints, std::span<V3> out) {
  if (joints.size() != skin.joint_rest.size() || out.size() != skin.mesh.positions.size())
    throw std::invalid_argument("skin: expected " + std::to_string(skin.joint_rest.size()) + " joints and " +
                                std::to_string(skin.mesh.positions.size()) + " vertices");
  std::vector<Transform> skinning;
  skinning.reserve(joints.size());
  for (size_t j = 0; j < joints.size(); ++j) skinning.push_back(joints[j] * inverse(skin.joint_rest[j]));
  for (size_t v = 0; v < out.size(); ++v) {
    V3 sum{0, 0, 0};
    for (size_t k = 0; k < kJointsPerVertex; ++k)
      if (skin.weights[v][k] > 0)
        sum += apply(skinning[skin.joints[v][k]], skin.mesh.positions[v]) * skin.weights[v][k];
    out[v] = sum;
  }
}

void fit_weights(Skin& skin, const Skeleton& skeleton, std::span<const billow_collider> colliders,
                 std::span<const Pose> poses, const WeightFitOptions& options) {
  if (poses.empty()) return;
  const std::vector<Edge> edges = edges_of(skin.mesh);
  Surface surface(skeleton, colliders);
  const float stiffness = static_cast<float>(poses.size()) * options.stiffness * options.stiffness;
  for (int round = 0; round < options.rounds; ++round) {
    WeightFit fit(skin);
    for (const Pose& pose : poses) fit.add_pose(surface, joint_transforms(skeleton, pose));
    fit.update_weights(stiffness);
    WeightTable table = to_table(skin);
    smooth(table, skin.mesh, edges, options.smoothing);
    store_largest(table, skin);
  }
}

}  // namespace billow::body
