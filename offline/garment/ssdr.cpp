#include "garment/ssdr.h"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <string>

#include "body/mesh_distance.h"
#include "garment/ssdr_solve.h"

namespace billow::garment {
namespace {

using Eigen::Vector3d;

constexpr size_t kCandidates = 12;    // bones considered for a vertex: those with the smallest rigid error
constexpr size_t kNeighbours = 20;    // vertices that a new bone is fitted to
constexpr double kMinStrength = 0.5;  // sum of squared weights below which a bone is replaced
constexpr int kClusterRounds = 4;

Vector3d to_eigen(V3 p) {
  return {static_cast<double>(p.x), static_cast<double>(p.y), static_cast<double>(p.z)};
}

class Decomposer {
 public:
  Decomposer(std::span<const V3> rest, std::span<const V3> frames, const SsdrOptions& options)
      : n_(rest.size()), f_(frames.size() / rest.size()), options_(options) {
    for (const V3& p : rest) rest_.push_back(to_eigen(p));
    for (const V3& p : frames) target_.push_back(to_eigen(p));
  }

  void run() {
    cluster();
    double before = INFINITY;
    for (int round = 0; round < options_.rounds; ++round) {
      if (options_.report) options_.report(static_cast<double>(round) / options_.rounds);
      solve_weights();
      if (round < options_.rounds / 2) replace_weak_bones();
      solve_transforms();
      const double now = rms();
      if (now < 1e-9 || !(now < before * (1 - options_.tolerance))) break;
      before = now;
    }
    solve_weights();
  }

  double rms() const {
    double sum = 0;
    for (size_t f = 0; f < f_; ++f)
      for (size_t v = 0; v < n_; ++v) sum += residual(f, v).squaredNorm();
    return std::sqrt(sum / static_cast<double>(n_ * f_));
  }

  const Rigid& motion(size_t f, size_t bone) const { return motions_[bone * f_ + f]; }
  const std::array<uint32_t, kBonesPerVertex>& bones_of(size_t v) const { return bones_[v]; }
  const std::array<double, kBonesPerVertex>& weights_of(size_t v) const { return weights_[v]; }

 private:
  size_t motions() const { return motions_.size() / f_; }
  const Vector3d& target(size_t f, size_t v) const { return target_[f * n_ + v]; }

  Vector3d residual(size_t f, size_t v) const {
    Vector3d sum = target(f, v);
    for (size_t k = 0; k < kBonesPerVertex; ++k)
      if (weights_[v][k] > 0) sum -= weights_[v][k] * (motion(f, bones_[v][k]) * rest_[v]);
    return sum;
  }

  // Squared error of a vertex moved by one bone alone, over all frames.
  double rigid_error(size_t bone, size_t v) const {
    double sum = 0;
    for (size_t f = 0; f < f_; ++f) sum += (motion(f, bone) * rest_[v] - target(f, v)).squaredNorm();
    return sum;
  }

  // Fits the transforms of a bone to some vertices.
  void fit(size_t bone, const std::vector<uint32_t>& vertices) {
    for (size_t f = 0; f < f_; ++f) {
      Procrustes fit;
      for (const uint32_t v : vertices) fit.add(1, rest_[v], target(f, v));
      motions_[bone * f_ + f] = fit.solve();
    }
  }

  std::vector<uint32_t> nearest_vertices(uint32_t vertex) const {
    std::vector<uint32_t> order(n_);
    std::iota(order.begin(), order.end(), 0);
    const size_t count = std::min(n_, kNeighbours);
    std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(count), order.end(),
                      [&](uint32_t a, uint32_t b) {
                        const double da = (rest_[a] - rest_[vertex]).squaredNorm();
                        const double db = (rest_[b] - rest_[vertex]).squaredNorm();
                        return da != db ? da < db : a < b;
                      });
    order.resize(count);
    return order;
  }

  // Initial rigid clustering: split the clusters with the largest errors, then alternate assignment of
  // vertices and fitting of bones (Lloyd).
  void cluster() {
    std::vector<uint32_t> label(n_, 0);
    std::vector<double> error(n_, 0);
    motions_.assign(f_, {});
    std::vector<uint32_t> all(n_);
    std::iota(all.begin(), all.end(), 0);
    fit(0, all);
    assign(label, error);
    while (motions() < options_.bones) {
      split(label, error);
      for (int round = 0; round < kClusterRounds; ++round) {
        assign(label, error);
        std::vector<std::vector<uint32_t>> members(motions());
        for (uint32_t v = 0; v < n_; ++v) members[label[v]].push_back(v);
        for (size_t bone = 0; bone < members.size(); ++bone)
          if (members[bone].size() >= 3) fit(bone, members[bone]);
      }
      assign(label, error);
    }
    bones_.assign(n_, {});
    weights_.assign(n_, {1, 0, 0, 0});
    for (size_t v = 0; v < n_; ++v) bones_[v][0] = label[v];
  }

  void assign(std::vector<uint32_t>& label, std::vector<double>& error) const {
    for (size_t v = 0; v < n_; ++v) {
      error[v] = INFINITY;
      for (size_t bone = 0; bone < motions(); ++bone)
        if (const double e = rigid_error(bone, v); e < error[v])
          error[v] = e, label[v] = static_cast<uint32_t>(bone);
    }
  }

  void split(const std::vector<uint32_t>& label, const std::vector<double>& error) {
    const size_t count = motions();
    std::vector<double> sum(count, 0), members(count, 0);
    std::vector<Vector3d> centre(count, Vector3d::Zero());
    for (size_t v = 0; v < n_; ++v)
      sum[label[v]] += error[v], centre[label[v]] += rest_[v], members[label[v]] += 1;
    std::vector<size_t> order(count);
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return sum[a] > sum[b]; });
    order.resize(std::min(count, options_.bones - count));
    for (const size_t bone : order) {
      // Seed where the error is large and far from the centroid.
      uint32_t seed = 0;
      double best_score = -1;
      for (uint32_t v = 0; v < n_; ++v) {
        if (label[v] != bone && members[bone] > 0) continue;
        const double score =
            error[v] * (rest_[v] - centre[bone] / std::max(1.0, members[bone])).squaredNorm();
        if (score > best_score) best_score = score, seed = v;
      }
      motions_.resize(motions_.size() + f_);
      fit(motions() - 1, nearest_vertices(seed));
    }
  }

  // Optimal sparse convex weights of each vertex.
  void solve_weights() {
    const size_t count = motions();
    const auto rows = static_cast<Eigen::Index>(3 * f_);
    std::vector<std::pair<double, uint32_t>> order(count);
    for (size_t v = 0; v < n_; ++v) {
      for (uint32_t bone = 0; bone < count; ++bone) order[bone] = {rigid_error(bone, v), bone};
      const size_t kept = std::min(count, kCandidates);
      std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(kept), order.end());
      Eigen::MatrixXd columns(rows, static_cast<Eigen::Index>(kept));
      for (size_t c = 0; c < kept; ++c)
        for (size_t f = 0; f < f_; ++f)
          columns.block<3, 1>(static_cast<Eigen::Index>(3 * f), static_cast<Eigen::Index>(c)) =
              motion(f, order[c].second) * rest_[v] - target(f, v);
      const Eigen::MatrixXd products = columns.transpose() * columns;
      choose_bones(v, products, order);
    }
  }

  // Solves for all candidates, keeps the largest weights, and solves again for these.
  void choose_bones(size_t v, const Eigen::MatrixXd& products,
                    const std::vector<std::pair<double, uint32_t>>& order) {
    const Eigen::VectorXd all = nearest_in_hull(products);
    std::vector<Eigen::Index> heaviest(static_cast<size_t>(all.size()));
    std::iota(heaviest.begin(), heaviest.end(), 0);
    std::stable_sort(heaviest.begin(), heaviest.end(),
                     [&](Eigen::Index a, Eigen::Index b) { return all[a] > all[b]; });
    heaviest.resize(std::min(heaviest.size(), kBonesPerVertex));
    const auto m = static_cast<Eigen::Index>(heaviest.size());
    Eigen::MatrixXd part(m, m);
    for (Eigen::Index a = 0; a < m; ++a)
      for (Eigen::Index b = 0; b < m; ++b)
        part(a, b) = products(heaviest[static_cast<size_t>(a)], heaviest[static_cast<size_t>(b)]);
    const Eigen::VectorXd w = nearest_in_hull(part);
    bones_[v] = {}, weights_[v] = {};
    for (size_t k = 0; k < heaviest.size(); ++k) {
      bones_[v][k] = order[static_cast<size_t>(heaviest[k])].second;
      weights_[v][k] = w[static_cast<Eigen::Index>(k)];
    }
  }

  // Moves bones with little influence to the vertices of largest error.
  void replace_weak_bones() {
    std::vector<double> strength(motions(), 0);
    for (size_t v = 0; v < n_; ++v)
      for (size_t k = 0; k < kBonesPerVertex; ++k) strength[bones_[v][k]] += weights_[v][k] * weights_[v][k];
    if (*std::min_element(strength.begin(), strength.end()) >= kMinStrength) return;
    std::vector<double> error(n_, 0);
    for (size_t v = 0; v < n_; ++v)
      for (size_t f = 0; f < f_; ++f) error[v] += residual(f, v).squaredNorm();
    for (size_t bone = 0; bone < motions(); ++bone) {
      if (strength[bone] >= kMinStrength) continue;
      const auto worst = static_cast<uint32_t>(std::max_element(error.begin(), error.end()) - error.begin());
      const std::vector<uint32_t> near = nearest_vertices(worst);
      fit(bone, near);
      for (const uint32_t v : near) error[v] = 0;
    }
    solve_weights();
  }

  // Block coordinate descent: optimal transform of each bone, given the weights and the other bones.
  void solve_transforms() {
    std::vector<std::vector<std::pair<uint32_t, double>>> members(motions());
    for (uint32_t v = 0; v < n_; ++v)
      for (size_t k = 0; k < kBonesPerVertex; ++k)
        if (weights_[v][k] > 0) members[bones_[v][k]].push_back({v, weights_[v][k]});
    std::vector<Vector3d> remaining(n_);
    for (size_t f = 0; f < f_; ++f) {
      for (size_t v = 0; v < n_; ++v) remaining[v] = residual(f, v);
      for (size_t bone = 0; bone < motions(); ++bone) {
        Rigid& motion = motions_[bone * f_ + f];
        Procrustes fit;
        for (const auto& [v, w] : members[bone]) {
          remaining[v] += w * (motion * rest_[v]);
          fit.add(w, rest_[v], remaining[v]);
        }
        if (fit.weight() > 1e-9) motion = fit.solve();
        for (const auto& [v, w] : members[bone]) remaining[v] -= w * (motion * rest_[v]);
      }
    }
  }

  size_t n_, f_;
  const SsdrOptions& options_;
  std::vector<Vector3d> rest_, target_;
  std::vector<Rigid> motions_;  // [bone][frame]
  std::vector<std::array<uint32_t, kBonesPerVertex>> bones_;
  std::vector<std::array<double, kBonesPerVertex>> weights_;
};

void check(std::span<const V3> rest, std::span<const Triangle> triangles, std::span<const V3> frames,
           const SsdrOptions& options) {
  const auto fail = [](const std::string& message) {
    throw std::invalid_argument("decomposition: " + message);
  };
  if (rest.size() < 3 || triangles.empty()) fail("expected vertices and triangles");
  if (frames.empty() || frames.size() % rest.size() != 0)
    fail("expected frames of " + std::to_string(rest.size()) + " vertices each, found " +
         std::to_string(frames.size()) + " positions");
  if (options.bones < 1 || options.bones > rest.size())
    fail("expected 1 to " + std::to_string(rest.size()) + " bones, found " + std::to_string(options.bones));
  const auto expect_finite = [&](std::span<const V3> positions, const char* what) {
    for (size_t i = 0; i < positions.size(); ++i)
      if (!std::isfinite(positions[i].x + positions[i].y + positions[i].z))
        fail(std::string(what) + " " + std::to_string(i / rest.size()) + ", vertex " +
             std::to_string(i % rest.size()) + " is not finite");
  };
  expect_finite(rest, "rest");
  expect_finite(frames, "frame");
  for (const Triangle& t : triangles)
    for (const uint32_t v : t)
      if (v >= rest.size()) fail("expected triangles of vertices below " + std::to_string(rest.size()));
}

Transform to_transform(const Rigid& r) {
  const Eigen::Quaterniond q(r.rotation);
  const auto f = [](double x) { return static_cast<float>(x); };
  return {{f(r.translation.x()), f(r.translation.y()), f(r.translation.z())},
          {f(q.x()), f(q.y()), f(q.z()), f(q.w())}};
}

}  // namespace

Embedding embed_nearest(std::span<const V3> vertices, std::span<const Triangle> triangles, V3 point) {
  Embedding best;
  float best_squared = INFINITY;
  for (const Triangle& t : triangles) {
    const V3 a = vertices[t[0]], b = vertices[t[1]], c = vertices[t[2]];
    const V3 p = body::nearest_on_triangle(point, a, b, c);
    const V3 offset = p - point;
    if (!(dot(offset, offset) < best_squared)) continue;
    const V3 normal = cross(b - a, c - a);
    const float square = dot(normal, normal);
    if (!(square > 0)) continue;
    best_squared = dot(offset, offset);
    const float u = std::clamp(dot(cross(b - a, p - a), normal) / square, 0.0f, 1.0f);      // weight of c
    const float v = std::clamp(dot(cross(p - a, c - a), normal) / square, 0.0f, 1.0f - u);  // weight of b
    best = {t, {1 - u - v, v, u}};
  }
  return best;
}

Ssdr decompose(std::span<const V3> rest, std::span<const Triangle> triangles, std::span<const V3> frames,
               const SsdrOptions& options) {
  check(rest, triangles, frames, options);
  Decomposer decomposer(rest, frames, options);
  decomposer.run();

  Ssdr out;
  out.rms = decomposer.rms();
  std::vector<Vector3d> centre(options.bones, Vector3d::Zero());
  std::vector<double> weight(options.bones, 0);
  for (size_t v = 0; v < rest.size(); ++v) {
    out.bones.push_back(decomposer.bones_of(v));
    out.weights.emplace_back();
    for (size_t k = 0; k < kBonesPerVertex; ++k) {
      const double w = decomposer.weights_of(v)[k];
      out.weights[v][k] = static_cast<float>(w);
      centre[out.bones[v][k]] += w * w * to_eigen(rest[v]);
      weight[out.bones[v][k]] += w * w;
    }
  }
  for (size_t b = 0; b < options.bones; ++b) {
    const Vector3d c = centre[b] / std::max(weight[b], 1e-300);
    out.embeddings.push_back(embed_nearest(
        rest, triangles, {static_cast<float>(c.x()), static_cast<float>(c.y()), static_cast<float>(c.z())}));
  }
  for (size_t f = 0; f < frames.size() / rest.size(); ++f)
    for (size_t b = 0; b < options.bones; ++b)
      out.transforms.push_back(to_transform(decomposer.motion(f, b)));
  return out;
}

}  // namespace billow::garment
