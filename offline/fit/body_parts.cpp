#include "fit/body_parts.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <mutex>
#include <stdexcept>

#include "body/mesh_distance.h"
#include "fit/grid_sdf.h"
#include "parallel.h"

namespace billow::fit {
namespace {

using body::component_max;
using body::component_min;
using body::Mesh;
using body::MeshDistance;
using body::Skin;
using body::Triangle;

struct SkinInPose {
  std::vector<Transform> joints;
  MeshDistance distance;
};

std::vector<SkinInPose> pose_skin(const body::Skeleton& skeleton, const Skin& skin,
                                  std::span<const body::Pose> poses) {
  std::vector<SkinInPose> out;
  for (const body::Pose& pose : poses) {
    validate(skeleton, pose);
    std::vector<Transform> joints = joint_transforms(skeleton, pose);
    Mesh mesh = skin.mesh;
    skin_vertices(skin, joints, mesh.positions);
    out.push_back({std::move(joints), MeshDistance(mesh)});
  }
  return out;
}

// The vertices of each joint, by their largest weight.
std::vector<std::vector<uint32_t>> vertices_by_joint(const Skin& skin) {
  std::vector<std::vector<uint32_t>> out(skin.joint_rest.size());
  for (uint32_t v = 0; v < skin.weights.size(); ++v) {
    const auto& w = skin.weights[v];
    out[skin.joints[v][static_cast<size_t>(std::max_element(w.begin(), w.end()) - w.begin())]].push_back(v);
  }
  return out;
}

// A box along the principal axes: least variance (x), largest (y) and middle (z).
struct OrientedBox {
  Transform frame;
  V3 half;
};
OrientedBox oriented_box(std::span<const V3> points) {
  Eigen::Vector3d mean = Eigen::Vector3d::Zero();
  Eigen::Matrix3d spread = Eigen::Matrix3d::Zero();
  const auto eigen = [](V3 p) { return Eigen::Vector3d(p.x, p.y, p.z); };
  for (const V3& p : points) mean += eigen(p);
  mean /= static_cast<double>(points.size());
  for (const V3& p : points) spread += (eigen(p) - mean) * (eigen(p) - mean).transpose();
  const Eigen::Matrix3d axes = Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d>(spread).eigenvectors();
  Eigen::Matrix3d frame;  // eigenvalues are in ascending order
  frame << axes.col(0), axes.col(2), axes.col(0).cross(axes.col(2));
  // Choose the signs closest to the model's axes.
  for (const int k : {0, 1})
    if (frame(k, k) < 0) frame.col(k) *= -1, frame.col(2) *= -1;
  const Eigen::Quaterniond q(frame);
  OrientedBox out;
  out.frame.rotation = normalized(Quat{static_cast<float>(q.x()), static_cast<float>(q.y()),
                                       static_cast<float>(q.z()), static_cast<float>(q.w())});
  V3 low{1e30f, 1e30f, 1e30f}, high{-1e30f, -1e30f, -1e30f};
  for (const V3& p : points) {
    const V3 local = rotate(conjugate(out.frame.rotation), p);
    low = component_min(low, local), high = component_max(high, local);
  }
  out.frame.position = rotate(out.frame.rotation, (low + high) * 0.5f);
  out.half = (high - low) * 0.5f;
  return out;
}

// The quantile `share` over all poses of the distance to the skin, at a point fixed to a joint: negative
// where the point is inside in that fraction of poses. Like each of the distances it is 1-Lipschitz.
class QuantileDistance {
 public:
  QuantileDistance(const std::vector<SkinInPose>& skins, const Skin& skin, size_t joint,
                   const Transform& frame, float share)
      : skins_(skins), distances_(skins.size()) {
    const Transform local = inverse(skin.joint_rest[joint]) * frame;
    for (const SkinInPose& s : skins) frame_in_pose_.push_back(s.joints[joint] * local);
    rank_ = static_cast<std::ptrdiff_t>(std::lround(share * static_cast<float>(skins.size() - 1)));
  }
  float at(V3 p) {
    for (size_t k = 0; k < skins_.size(); ++k)
      distances_[k] = skins_[k].distance.at(apply(frame_in_pose_[k], p));
    std::nth_element(distances_.begin(), distances_.begin() + rank_, distances_.end());
    return distances_[static_cast<size_t>(rank_)];
  }

 private:
  const std::vector<SkinInPose>& skins_;
  std::vector<Transform> frame_in_pose_;
  std::vector<float> distances_;
  std::ptrdiff_t rank_;
};

constexpr int kCoarsestStep = 8;  // lattice spacings

// A signed lower bound of |value|, from the neighbours `step` away along the odd axes and the Lipschitz
// constant 1.
float bound_at(const Lattice& lattice, int i, int j, int k, int step, const int (&odd)[3]) {
  float bound = 0;
  for (int c = 0; c < 8; ++c) {
    const int di = (c & 1 ? step : -step) * odd[0], dj = (c & 2 ? step : -step) * odd[1],
              dk = (c & 4 ? step : -step) * odd[2];
    const float value = lattice.values[lattice.index(i + di, j + dj, k + dk)];
    const float distance = length(lattice.point(i + di, j + dj, k + dk) - lattice.point(i, j, k));
    if (std::fabs(value) - distance > std::fabs(bound))
      bound = std::copysign(std::fabs(value) - distance, value);
  }
  return bound;
}

// Fills a lattice with values of correct sign, exact at the ends of edges that cross zero. Works from coarse
// to fine and skips points that are far from zero by their neighbours' bound.
void fill(Lattice& lattice, QuantileDistance& quantile) {
  for (int step = kCoarsestStep; step > 0; step /= 2) {
    const float enough = lattice.spacing * (step > 1 ? 1 + 1.75f * static_cast<float>(step) : 1.01f);
    for (int k = 0; k < lattice.size[2]; k += step)
      for (int j = 0; j < lattice.size[1]; j += step)
        for (int i = 0; i < lattice.size[0]; i += step) {
          const int odd[3] = {i / step % 2, j / step % 2, k / step % 2};
          const bool coarsest = step == kCoarsestStep;
          if (!coarsest && odd[0] + odd[1] + odd[2] == 0) continue;  // already filled
          const float bound = coarsest ? 0 : bound_at(lattice, i, j, k, step, odd);
          lattice.values[lattice.index(i, j, k)] =
              std::fabs(bound) > enough ? bound : quantile.at(lattice.point(i, j, k));
        }
  }
}

// Calls f(i, j, k, index) for each point.
template <class F> void for_each_point(const Lattice& lattice, F f) {
  for (int k = 0; k < lattice.size[2]; ++k)
    for (int j = 0; j < lattice.size[1]; ++j)
      for (int i = 0; i < lattice.size[0]; ++i) f(i, j, k, lattice.index(i, j, k));
}

// The connected component of inside points around `start` (flood fill). Marks it in `visited`. Boundary
// points have to be outside.
std::vector<size_t> component_at(const Lattice& lattice, size_t start, std::vector<bool>& visited) {
  const size_t row = static_cast<size_t>(lattice.size[0]), layer = row * static_cast<size_t>(lattice.size[1]);
  std::vector<size_t> component{start};
  visited[start] = true;
  for (size_t at = 0; at < component.size(); ++at)
    for (const size_t step : {size_t{1}, row, layer})
      for (const size_t next : {component[at] - step, component[at] + step}) {
        if (lattice.values[next] > 0 || visited[next]) continue;
        visited[next] = true;
        component.push_back(next);
      }
  return component;
}

// Closes the surface at the lattice's boundary and keeps the largest component of inside points.
void keep_largest_component(Lattice& lattice) {
  const float outside = 0.5f * lattice.spacing;
  const std::array<int, 3> last{lattice.size[0] - 1, lattice.size[1] - 1, lattice.size[2] - 1};
  for_each_point(lattice, [&](int i, int j, int k, size_t at) {
    const bool boundary = i == 0 || j == 0 || k == 0 || i == last[0] || j == last[1] || k == last[2];
    if (boundary) lattice.values[at] = std::max(lattice.values[at], outside);
  });
  std::vector<bool> visited(lattice.count(), false);
  std::vector<size_t> largest;
  for (size_t at = 0; at < lattice.count(); ++at) {
    if (lattice.values[at] > 0 || visited[at]) continue;
    std::vector<size_t> component = component_at(lattice, at, visited);
    if (component.size() > largest.size()) std::swap(component, largest);
    for (const size_t other : component) lattice.values[other] = outside;
  }
}

BodyPart find_part(const std::vector<SkinInPose>& skins, const Skin& skin, size_t joint,
                   std::span<const uint32_t> own, const BodyPartOptions& options) {
  std::vector<V3> points;
  for (const uint32_t v : own) points.push_back(skin.mesh.positions[v]);
  const OrientedBox box = oriented_box(points);
  const V3 reach = box.half + V3{options.overlap, options.overlap, options.overlap};
  Lattice lattice = make_lattice(-reach, reach, options.spacing, kCoarsestStep);
  QuantileDistance quantile(skins, skin, joint, box.frame, options.share);
  fill(lattice, quantile);
  keep_largest_component(lattice);
  BodyPart part{{}, static_cast<uint32_t>(joint), box.frame, zero_set(lattice)};
  if (part.surface.triangles.empty()) return part;
  // Move the origin of the frame to the centre of the bounds.
  std::vector<V3>& p = part.surface.positions;
  V3 low = p[0], high = p[0];
  for (const V3& v : p) low = component_min(low, v), high = component_max(high, v);
  const V3 middle = (low + high) * 0.5f;
  for (V3& v : p) v -= middle;
  part.frame.position = apply(part.frame, middle);
  return part;
}

}  // namespace

std::vector<BodyPart> find_body_parts(const body::Skeleton& skeleton, const Skin& skin,
                                      std::span<const body::Pose> poses, const BodyPartOptions& options) {
  if (skin.mesh.triangles.empty())
    throw std::invalid_argument("body parts: expected a skin, found no triangles");
  if (poses.empty()) throw std::invalid_argument("body parts: expected poses, found none");
  const std::vector<SkinInPose> skins = pose_skin(skeleton, skin, poses);
  const auto own = vertices_by_joint(skin);
  std::vector<BodyPart> found(skeleton.size());
  std::mutex progress_mutex;
  size_t done = 0;
  for_each_in_parallel(skeleton.size(), [&](size_t j) {
    if (own[j].size() >= 4) found[j] = find_part(skins, skin, j, own[j], options);
    found[j].name = skeleton.joints[j].name;
    if (!options.progress) return;
    const std::lock_guard lock(progress_mutex);
    options.progress(static_cast<double>(++done) / static_cast<double>(skeleton.size()));
  });
  // Drop empty parts, which others cover.
  std::erase_if(found, [](const BodyPart& part) { return part.surface.triangles.empty(); });
  return found;
}

}  // namespace billow::fit
