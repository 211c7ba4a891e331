#include "body/skin_weights.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "body/surface.h"

namespace billow::body {
namespace {

constexpr size_t kFew = kJointsPerVertex;

// One row of weights a vertex, one column a joint.
struct WeightTable {
  size_t joints;
  std::vector<float> values;
  float* row(size_t vertex) { return values.data() + vertex * joints; }
};

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

// Averages each vertex with its neighbours, `share` of the way.
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

// Keeps the largest weights of each vertex.
void store(WeightTable& table, Skin& skin) {
  const size_t n = skin.mesh.positions.size(), kept = std::min(kFew, table.joints);
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
      // What moves a vertex by less than a hair's breadth is left out.
      if (row[order[k]] < 0.002f) break;
      skin.joints[v][k] = order[k];
      skin.weights[v][k] = row[order[k]];
      sum += row[order[k]];
    }
    for (float& w : skin.weights[v]) w /= sum;
  }
}

WeightTable load(const Skin& skin) {
  WeightTable table{skin.joint_rest.size(),
                    std::vector<float>(skin.weights.size() * skin.joint_rest.size(), 0)};
  for (size_t v = 0; v < skin.weights.size(); ++v)
    for (size_t k = 0; k < kFew; ++k)
      if (skin.weights[v][k] > 0) table.row(v)[skin.joints[v][k]] = skin.weights[v][k];
  return table;
}

// The normal equations of one vertex.
struct Normal {
  float a[kFew][kFew] = {};
  float b[kFew] = {};
};

// Solves by Gauss elimination; the matrix is positive definite.
void solve(Normal& m, float out[kFew]) {
  for (size_t i = 0; i < kFew; ++i)
    for (size_t r = i + 1; r < kFew; ++r) {
      const float f = m.a[r][i] / m.a[i][i];
      for (size_t c = i; c < kFew; ++c) m.a[r][c] -= f * m.a[i][c];
      m.b[r] -= f * m.b[i];
    }
  for (size_t i = kFew; i-- > 0;) {
    out[i] = m.b[i];
    for (size_t c = i + 1; c < kFew; ++c) out[i] -= m.a[i][c] * out[c];
    out[i] /= m.a[i][i];
  }
}

// The least squares of one round, for the vertices that follow several joints (others cannot change).
class Fit {
 public:
  explicit Fit(Skin& skin) : skin_(skin) {
    for (size_t v = 0; v < skin.weights.size(); ++v)
      if (skin.weights[v][1] > 0) vertices_.push_back(v);
    normals_.resize(vertices_.size());
    posed_.resize(vertices_.size());
    gradient_.resize(vertices_.size());
    phi_.resize(vertices_.size());
  }

  // Adds what one pose says: a change of the weights changes phi by the gradient times where the joints take
  // the vertex.
  void add_pose(Surface& surface, std::span<const Transform> joints) {
    std::vector<RigidMatrix> moved;
    for (size_t j = 0; j < joints.size(); ++j)
      moved.push_back(to_matrix(joints[j] * inverse(skin_.joint_rest[j])));
    std::vector<std::array<V3, kFew>> places(vertices_.size());
    for (size_t i = 0; i < vertices_.size(); ++i) {
      const size_t v = vertices_[i];
      posed_[i] = {0, 0, 0};
      for (size_t k = 0; k < kFew; ++k) {
        places[i][k] = take(moved[skin_.joints[v][k]], skin_.mesh.positions[v]);
        posed_[i] += places[i][k] * skin_.weights[v][k];
      }
    }
    surface.pose(joints);
    surface.query(posed_, phi_, gradient_);
    for (size_t i = 0; i < vertices_.size(); ++i) {
      const float r = pull(phi_[i]);
      float along[kFew] = {};
      for (size_t k = 0; k < kFew; ++k)
        if (skin_.weights[vertices_[i]][k] > 0) along[k] = dot(gradient_[i], places[i][k] - posed_[i]);
      for (size_t k = 0; k < kFew; ++k) {
        for (size_t l = 0; l < kFew; ++l) normals_[i].a[k][l] += along[k] * along[l];
        normals_[i].b[k] -= along[k] * r;
      }
    }
  }

  void improve_weights(float stiffness) {
    for (size_t i = 0; i < vertices_.size(); ++i) {
      for (size_t k = 0; k < kFew; ++k) normals_[i].a[k][k] += stiffness;
      float change[kFew], sum = 0;
      solve(normals_[i], change);
      std::array<float, kFew>& weights = skin_.weights[vertices_[i]];
      for (size_t k = 0; k < kFew; ++k) {
        if (weights[k] > 0) weights[k] = std::max(1e-4f, weights[k] + std::clamp(change[k], -0.2f, 0.2f));
        sum += weights[k];
      }
      for (float& w : weights) w /= sum;
    }
  }

 private:
  // The residual that counts. Where parts touch or creases fold, vertices are deep inside and may stay there.
  static float pull(float phi) {
    constexpr float kFar = 0.020f;
    if (phi > -kFar) return std::min(phi, 0.030f);
    return std::min(0.0f, -2 * kFar - phi);
  }
  static V3 take(const RigidMatrix& m, V3 p) {
    return V3{dot(m.rx, p), dot(m.ry, p), dot(m.rz, p)} + m.translation;
  }

  Skin& skin_;
  std::vector<size_t> vertices_;
  std::vector<Normal> normals_;
  std::vector<V3> posed_, gradient_;
  std::vector<float> phi_;
};

}  // namespace

void weigh_by_colliders(Skin& skin, const Skeleton& skeleton, std::span<const billow_collider> colliders,
                        const SkinOptions& options) {
  WeightTable table = collider_weights(skin.mesh, skeleton, colliders, options.softness);
  const std::vector<Edge> edges = edges_of(skin.mesh);
  for (int round = 0; round < options.smoothing; ++round) smooth(table, skin.mesh, edges, 0.5f);
  store(table, skin);
}

void fit_weights(Skin& skin, const Skeleton& skeleton, std::span<const billow_collider> colliders,
                 std::span<const Pose> poses, const FitOptions& options) {
  if (poses.empty()) return;
  const std::vector<Edge> edges = edges_of(skin.mesh);
  Surface surface(skeleton, colliders);
  const float stiffness = static_cast<float>(poses.size()) * options.stiffness * options.stiffness;
  for (int round = 0; round < options.rounds; ++round) {
    Fit fit(skin);
    for (const Pose& pose : poses) fit.add_pose(surface, joint_transforms(skeleton, pose));
    fit.improve_weights(stiffness);
    WeightTable table = load(skin);
    smooth(table, skin.mesh, edges, options.smoothing);
    store(table, skin);
  }
}

}  // namespace billow::body
