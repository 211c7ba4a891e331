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
  for (size_t v = 0; v < count.size(); ++v)
    for (size_t j = 0; j < table.joints; ++j)
      table.row(v)[j] = (1 - share) * table.row(v)[j] + share * sum.row(v)[j] / count[v];
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

// Adds what one pose says: a change dw of the weights changes phi by the gradient times where the joints take
// the vertex.
void add_pose(const Skin& skin, std::span<const Transform> moved, std::span<const V3> posed,
              std::span<const float> phi, std::span<const V3> gradient, std::vector<Normal>& normals) {
  for (size_t v = 0; v < posed.size(); ++v) {
    // Where parts touch or creases fold, vertices may be inside: they count little.
    const float r = std::clamp(phi[v], -0.010f, 0.030f);
    float along[kFew] = {};
    for (size_t k = 0; k < kFew; ++k)
      if (skin.weights[v][k] > 0)
        along[k] = dot(gradient[v], apply(moved[skin.joints[v][k]], skin.mesh.positions[v]) - posed[v]);
    for (size_t i = 0; i < kFew; ++i) {
      for (size_t j = 0; j < kFew; ++j) normals[v].a[i][j] += along[i] * along[j];
      normals[v].b[i] -= along[i] * r;
    }
  }
}

void improve(Skin& skin, std::vector<Normal>& normals, float stiffness) {
  for (size_t v = 0; v < normals.size(); ++v) {
    for (size_t i = 0; i < kFew; ++i) normals[v].a[i][i] += stiffness;
    float change[kFew];
    solve(normals[v], change);
    float sum = 0;
    for (size_t k = 0; k < kFew; ++k) {
      if (skin.weights[v][k] > 0)
        skin.weights[v][k] = std::max(1e-4f, skin.weights[v][k] + std::clamp(change[k], -0.2f, 0.2f));
      sum += skin.weights[v][k];
    }
    for (float& w : skin.weights[v]) w /= sum;
  }
}

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
  const size_t n = skin.mesh.positions.size();
  const std::vector<Edge> edges = edges_of(skin.mesh);
  Surface surface(skeleton, colliders);
  std::vector<V3> posed(n), gradient(n);
  std::vector<float> phi(n);
  const float stiffness = static_cast<float>(poses.size()) * options.stiffness * options.stiffness;
  for (int round = 0; round < options.rounds; ++round) {
    std::vector<Normal> normals(n);
    for (const Pose& pose : poses) {
      const std::vector<Transform> joints = joint_transforms(skeleton, pose);
      surface.pose(joints);
      skin_vertices(skin, joints, posed);
      surface.query(posed, phi, gradient);
      std::vector<Transform> moved;
      for (size_t j = 0; j < joints.size(); ++j) moved.push_back(joints[j] * inverse(skin.joint_rest[j]));
      add_pose(skin, moved, posed, phi, gradient, normals);
    }
    improve(skin, normals, stiffness);
    WeightTable table = load(skin);
    smooth(table, skin.mesh, edges, options.smoothing);
    store(table, skin);
  }
}

}  // namespace billow::body
