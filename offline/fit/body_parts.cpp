#include "fit/body_parts.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <mutex>
#include <stdexcept>

#include "body/mesh_distance.h"
#include "fit/level_set.h"
#include "parallel.h"

namespace billow::fit {
namespace {

using body::least;
using body::Mesh;
using body::MeshDistance;
using body::most;
using body::Skin;
using body::Triangle;

// The skin in one pose.
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

// The vertices that follow a joint more than any other.
std::vector<std::vector<uint32_t>> vertices_by_joint(const Skin& skin) {
  std::vector<std::vector<uint32_t>> out(skin.joint_rest.size());
  for (uint32_t v = 0; v < skin.weights.size(); ++v) {
    const auto& w = skin.weights[v];
    out[skin.joints[v][static_cast<size_t>(std::max_element(w.begin(), w.end()) - w.begin())]].push_back(v);
  }
  return out;
}

// Axes along which the points spread least (x), most (y) and in between, about the middle of their box.
struct Oriented {
  Transform frame;
  V3 half;
};
Oriented box_of(std::span<const V3> points) {
  Eigen::Vector3d mean = Eigen::Vector3d::Zero();
  Eigen::Matrix3d spread = Eigen::Matrix3d::Zero();
  const auto eigen = [](V3 p) { return Eigen::Vector3d(p.x, p.y, p.z); };
  for (const V3& p : points) mean += eigen(p);
  mean /= static_cast<double>(points.size());
  for (const V3& p : points) spread += (eigen(p) - mean) * (eigen(p) - mean).transpose();
  const Eigen::Matrix3d axes = Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d>(spread).eigenvectors();
  Eigen::Matrix3d frame;  // rising order: least, middle, most
  frame << axes.col(0), axes.col(2), axes.col(0).cross(axes.col(2));
  // Of the signs choose those nearest to the model's axes.
  for (const int k : {0, 1})
    if (frame(k, k) < 0) frame.col(k) *= -1, frame.col(2) *= -1;
  const Eigen::Quaterniond q(frame);
  Oriented out;
  out.frame.rotation = normalized(Quat{static_cast<float>(q.x()), static_cast<float>(q.y()),
                                       static_cast<float>(q.z()), static_cast<float>(q.w())});
  V3 low{1e30f, 1e30f, 1e30f}, high{-1e30f, -1e30f, -1e30f};
  for (const V3& p : points) {
    const V3 local = rotate(conjugate(out.frame.rotation), p);
    low = least(low, local), high = most(high, local);
  }
  out.frame.position = rotate(out.frame.rotation, (low + high) * 0.5f);
  out.half = (high - low) * 0.5f;
  return out;
}

// The distance to the skin, seen from a joint, that is not exceeded in `share` of the poses: negative where a point
// is inside in as many. Like each of them it changes no faster than the point moves.
class SharedDistance {
 public:
  SharedDistance(const std::vector<SkinInPose>& skins, const Skin& skin, size_t joint, const Transform& frame,
                 float share)
      : skins_(skins), found_(skins.size()) {
    const Transform local = inverse(skin.joint_rest[joint]) * frame;
    for (const SkinInPose& s : skins) place_.push_back(s.joints[joint] * local);
    rank_ = static_cast<std::ptrdiff_t>(std::lround(share * static_cast<float>(skins.size() - 1)));
  }
  float at(V3 p) {
    for (size_t k = 0; k < skins_.size(); ++k) found_[k] = skins_[k].distance.at(apply(place_[k], p));
    std::nth_element(found_.begin(), found_.begin() + rank_, found_.end());
    return found_[static_cast<size_t>(rank_)];
  }

 private:
  const std::vector<SkinInPose>& skins_;
  std::vector<Transform> place_;
  std::vector<float> found_;
  std::ptrdiff_t rank_;
};

constexpr int kCoarsest = 8;  // lattice spacings

// No nearer to zero than this, with the sign, by what the neighbours `step` away along the odd axes say.
float bound_at(const Lattice& lattice, int i, int j, int k, int step, const int (&odd)[3]) {
  float bound = 0;
  for (int c = 0; c < 8; ++c) {
    const int di = (c & 1 ? step : -step) * odd[0], dj = (c & 2 ? step : -step) * odd[1],
              dk = (c & 4 ? step : -step) * odd[2];
    const float there = lattice.values[lattice.index(i + di, j + dj, k + dk)];
    const float apart = length(lattice.point(i + di, j + dj, k + dk) - lattice.point(i, j, k));
    if (std::fabs(there) - apart > std::fabs(bound)) bound = std::copysign(std::fabs(there) - apart, there);
  }
  return bound;
}

// Fills a lattice with values whose sign is right everywhere, and which are right at the ends of edges that cross
// zero: from coarse to fine, leaving out points that are too far from zero by what their neighbours say.
void fill(Lattice& lattice, SharedDistance& shared) {
  for (int step = kCoarsest; step > 0; step /= 2) {
    const float enough = lattice.spacing * (step > 1 ? 1 + 1.75f * static_cast<float>(step) : 1.01f);
    for (int k = 0; k < lattice.size[2]; k += step)
      for (int j = 0; j < lattice.size[1]; j += step)
        for (int i = 0; i < lattice.size[0]; i += step) {
          const int odd[3] = {i / step % 2, j / step % 2, k / step % 2};
          const bool coarsest = step == kCoarsest;
          if (!coarsest && odd[0] + odd[1] + odd[2] == 0) continue;  // has its value
          const float bound = coarsest ? 0 : bound_at(lattice, i, j, k, step, odd);
          lattice.values[lattice.index(i, j, k)] =
              std::fabs(bound) > enough ? bound : shared.at(lattice.point(i, j, k));
        }
  }
}

// Calls f(i, j, k, index) for each point.
template <class F> void for_each_point(const Lattice& lattice, F f) {
  for (int k = 0; k < lattice.size[2]; ++k)
    for (int j = 0; j < lattice.size[1]; ++j)
      for (int i = 0; i < lattice.size[0]; ++i) f(i, j, k, lattice.index(i, j, k));
}

// All that is inside and connected with a point, by index. Marks it in `seen`. The rim has to be outside.
std::vector<size_t> piece_at(const Lattice& lattice, size_t start, std::vector<bool>& seen) {
  const size_t row = static_cast<size_t>(lattice.size[0]), layer = row * static_cast<size_t>(lattice.size[1]);
  std::vector<size_t> piece{start};
  seen[start] = true;
  for (size_t at = 0; at < piece.size(); ++at)
    for (const size_t step : {size_t{1}, row, layer})
      for (const size_t next : {piece[at] - step, piece[at] + step}) {
        if (lattice.values[next] > 0 || seen[next]) continue;
        seen[next] = true;
        piece.push_back(next);
      }
  return piece;
}

// Closes the surface at the lattice's rim and keeps the largest piece of what is inside.
void keep_one_piece(Lattice& lattice) {
  const float outside = 0.5f * lattice.spacing;
  const std::array<int, 3> last{lattice.size[0] - 1, lattice.size[1] - 1, lattice.size[2] - 1};
  for_each_point(lattice, [&](int i, int j, int k, size_t at) {
    const bool rim = i == 0 || j == 0 || k == 0 || i == last[0] || j == last[1] || k == last[2];
    if (rim) lattice.values[at] = std::max(lattice.values[at], outside);
  });
  std::vector<bool> seen(lattice.count(), false);
  std::vector<size_t> largest;
  for (size_t at = 0; at < lattice.count(); ++at) {
    if (lattice.values[at] > 0 || seen[at]) continue;
    std::vector<size_t> piece = piece_at(lattice, at, seen);
    if (piece.size() > largest.size()) std::swap(piece, largest);
    for (const size_t other : piece) lattice.values[other] = outside;
  }
}

BodyPart find_part(const std::vector<SkinInPose>& skins, const Skin& skin, size_t joint,
                   std::span<const uint32_t> own, const BodyPartOptions& options) {
  std::vector<V3> points;
  for (const uint32_t v : own) points.push_back(skin.mesh.positions[v]);
  const Oriented box = box_of(points);
  const V3 reach = box.half + V3{options.overlap, options.overlap, options.overlap};
  Lattice lattice = make_lattice(-reach, reach, options.spacing, kCoarsest);
  SharedDistance shared(skins, skin, joint, box.frame, options.share);
  fill(lattice, shared);
  keep_one_piece(lattice);
  BodyPart part{{}, static_cast<uint32_t>(joint), box.frame, zero_set(lattice)};
  if (part.surface.triangles.empty()) return part;
  // Bring its middle to the origin of its frame.
  std::vector<V3>& p = part.surface.positions;
  V3 low = p[0], high = p[0];
  for (const V3& v : p) low = least(low, v), high = most(high, v);
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
  std::mutex one_at_a_time;
  size_t done = 0;
  for_each_in_parallel(skeleton.size(), [&](size_t j) {
    if (own[j].size() >= 4) found[j] = find_part(skins, skin, j, own[j], options);
    found[j].name = skeleton.joints[j].name;
    if (!options.progress) return;
    const std::lock_guard lock(one_at_a_time);
    options.progress(static_cast<double>(++done) / static_cast<double>(skeleton.size()));
  });
  // Leave out those of which nothing stays inside: others cover them.
  std::erase_if(found, [](const BodyPart& part) { return part.surface.triangles.empty(); });
  return found;
}

}  // namespace billow::fit
