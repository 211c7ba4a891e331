#include "import/scene.h"

#include <Eigen/SVD>
#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace billow::importer {
namespace {

using Eigen::Affine3d;
using Eigen::Quaterniond;
using Eigen::Vector4d;

Quaterniond to_quaternion(const Vector4d& v) {
  return v.norm() > 1e-9 ? Quaterniond(v[3], v[0], v[1], v[2]).normalized() : Quaterniond::Identity();
}

// A track's value at a time (glTF 2.0 specification, appendix C).
Vector4d value_at(const Track& track, double seconds) {
  const bool cubic = track.between == Track::Between::cubic;
  const auto value = [&](size_t k) { return track.values[cubic ? 3 * k + 1 : k]; };
  const size_t next = static_cast<size_t>(std::upper_bound(track.times.begin(), track.times.end(), seconds) -
                                          track.times.begin());
  if (next == 0) return value(0);
  if (next == track.times.size() || track.between == Track::Between::step) return value(next - 1);
  const double span = track.times[next] - track.times[next - 1];
  const double s = (seconds - track.times[next - 1]) / span;
  const Vector4d a = value(next - 1), b = value(next);
  if (cubic) {
    const Vector4d out = track.values[3 * (next - 1) + 2] * span, in = track.values[3 * next] * span;
    const double s2 = s * s, s3 = s2 * s;
    return (2 * s3 - 3 * s2 + 1) * a + (s3 - 2 * s2 + s) * out + (3 * s2 - 2 * s3) * b + (s3 - s2) * in;
  }
  if (track.path == Track::Path::rotation) return to_quaternion(a).slerp(s, to_quaternion(b)).coeffs();
  return a + (b - a) * s;
}

std::vector<Affine3d> multiply_down(const Scene& scene, const std::vector<Placement>& local) {
  std::vector<Affine3d> out;
  out.reserve(local.size());
  for (size_t i = 0; i < local.size(); ++i) {
    const int parent = scene.nodes[i].parent;
    out.push_back(parent < 0 ? local[i].matrix() : out[static_cast<size_t>(parent)] * local[i].matrix());
  }
  return out;
}

std::vector<Placement> placements(const Scene& scene) {
  std::vector<Placement> local;
  for (const SceneNode& node : scene.nodes) local.push_back(node.placement);
  return local;
}

}  // namespace

Placement placement_of(const Affine3d& matrix) {
  Placement out;
  out.translation = matrix.translation();
  Eigen::Matrix3d turn, stretch;
  matrix.computeRotationScaling(&turn, &stretch);
  out.rotation = Quaterniond(turn).normalized();
  out.scale = stretch.diagonal();
  return out;
}

std::vector<Affine3d> node_matrices(const Scene& scene) { return multiply_down(scene, placements(scene)); }

std::vector<Affine3d> node_matrices(const Scene& scene, const Animation& animation, double seconds) {
  std::vector<Placement> local = placements(scene);
  for (const Track& track : animation.tracks) {
    Placement& placement = local[static_cast<size_t>(track.node)];
    const Vector4d value = value_at(track, seconds);
    if (track.path == Track::Path::translation) placement.translation = value.head<3>();
    if (track.path == Track::Path::rotation) placement.rotation = to_quaternion(value);
    if (track.path == Track::Path::scale) placement.scale = value.head<3>();
  }
  return multiply_down(scene, local);
}

void add_weights(SceneMesh& mesh, std::vector<BoneWeight> weights) {
  double sum = 0;
  for (const BoneWeight& w : weights) {
    if (!std::isfinite(w.weight) || w.weight < 0)
      throw std::runtime_error("vertex " + std::to_string(mesh.weights.size()) +
                               ": expected weights of at least 0, found " + std::to_string(w.weight));
    sum += static_cast<double>(w.weight);
  }
  if (!(sum > 1e-6)) weights = {{0, 1}};
  // Keep the largest; of equal ones the first, so that the result is always the same.
  std::stable_sort(weights.begin(), weights.end(),
                   [](const BoneWeight& a, const BoneWeight& b) { return a.weight > b.weight; });
  weights.resize(body::kJointsPerVertex, {0, 0});
  sum = 0;
  for (const BoneWeight& w : weights) sum += static_cast<double>(w.weight);
  std::array<uint32_t, body::kJointsPerVertex> joints{};
  std::array<float, body::kJointsPerVertex> shares{};
  for (size_t k = 0; k < body::kJointsPerVertex; ++k) {
    joints[k] = weights[k].weight > 0 ? weights[k].bone : 0;
    shares[k] = static_cast<float>(static_cast<double>(weights[k].weight) / sum);
  }
  mesh.joints.push_back(joints);
  mesh.weights.push_back(shares);
}

}  // namespace billow::importer
