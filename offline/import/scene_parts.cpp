#include "import/scene_parts.h"

#include <Eigen/LU>
#include <Eigen/SVD>
#include <cmath>
#include <cstring>
#include <string>
#include <unordered_map>

namespace billow::importer {

using Eigen::Affine3d;
using Eigen::Matrix3d;

Rigid rigid_part(const Affine3d& matrix) {
  Rigid out = Rigid::Identity();
  out.translation() = matrix.translation();
  Matrix3d turn = matrix.linear();
  if (turn.determinant() < 0) turn.col(0) *= -1;
  // Make columns that are at right angles unit long; where they are not, take the nearest turn.
  const Eigen::Vector3d lengths = turn.colwise().norm();
  if (lengths.minCoeff() > 1e-9) {
    for (int k = 0; k < 3; ++k) turn.col(k) /= lengths[k];
    if ((turn.transpose() * turn - Matrix3d::Identity()).cwiseAbs().maxCoeff() < 1e-6) {
      out.linear() = Eigen::Quaterniond(turn).normalized().toRotationMatrix();
      return out;
    }
  }
  Affine3d linear = Affine3d::Identity();
  linear.linear() = turn;
  Matrix3d nearest, stretch;
  linear.computeRotationScaling(&nearest, &stretch);
  out.linear() = nearest;
  return out;
}

bool is_invertible(const Affine3d& matrix) {
  const double size = matrix.linear().norm();
  return std::isfinite(size) && size > 1e-9 && size < 1e9 &&
         std::fabs(matrix.linear().determinant()) > 1e-6 * size * size * size;
}

V3 to_vector(const Eigen::Vector3d& v) {
  return {static_cast<float>(v.x()), static_cast<float>(v.y()), static_cast<float>(v.z())};
}

Transform to_transform(const Rigid& rigid, double unit) {
  const Eigen::Quaterniond q(rigid.linear());
  return {to_vector(rigid.translation() * unit),
          normalized(Quat{static_cast<float>(q.x()), static_cast<float>(q.y()), static_cast<float>(q.z()),
                          static_cast<float>(q.w())})};
}

void weld(body::Skin& skin) {
  struct Key {
    V3 position;
    std::array<uint32_t, body::kJointsPerVertex> joints;
    std::array<float, body::kJointsPerVertex> weights;
  };
  std::unordered_map<std::string, uint32_t> places;
  std::vector<uint32_t> now_at(skin.mesh.positions.size());
  body::Skin out;
  for (size_t v = 0; v < skin.mesh.positions.size(); ++v) {
    const V3 p = skin.mesh.positions[v];
    const Key key{p + V3{0, 0, 0}, skin.joints[v], skin.weights[v]};  // -0 becomes 0
    std::string bytes(sizeof key, '\0');
    std::memcpy(bytes.data(), &key, sizeof key);
    const auto [place, is_new] =
        places.emplace(std::move(bytes), static_cast<uint32_t>(out.mesh.positions.size()));
    now_at[v] = place->second;
    if (!is_new) continue;
    out.mesh.positions.push_back(p);
    out.joints.push_back(skin.joints[v]);
    out.weights.push_back(skin.weights[v]);
  }
  for (const body::Triangle& t : skin.mesh.triangles) {
    const body::Triangle moved{now_at[t[0]], now_at[t[1]], now_at[t[2]]};
    if (moved[0] != moved[1] && moved[1] != moved[2] && moved[2] != moved[0])
      out.mesh.triangles.push_back(moved);
  }
  skin = std::move(out);
}

namespace {

// Frames a second of an animation's keys; 60 where they are far apart or crowded.
double rate_of_keys(const Animation& animation) {
  const Track* fullest = nullptr;
  for (const Track& track : animation.tracks)
    if (!fullest || track.times.size() > fullest->times.size()) fullest = &track;
  if (!fullest || fullest->times.size() < 2) return 30;
  std::vector<double> steps;
  for (size_t k = 1; k < fullest->times.size(); ++k)
    steps.push_back(fullest->times[k] - fullest->times[k - 1]);
  std::nth_element(steps.begin(), steps.begin() + static_cast<std::ptrdiff_t>(steps.size() / 2), steps.end());
  const double rate = 1 / steps[steps.size() / 2];
  if (!(rate > 11 && rate < 130)) return 60;
  return std::fabs(rate - std::round(rate)) < 0.01 * rate ? std::round(rate) : rate;
}

body::Pose pose_of(const Joints& joints, const std::vector<Affine3d>& matrices, double unit) {
  body::Pose pose;
  std::vector<Rigid> rigid;
  rigid.reserve(joints.nodes.size());
  for (size_t j = 0; j < joints.nodes.size(); ++j) {
    rigid.push_back(rigid_part(matrices[joints.nodes[j]]));
    const int parent = joints.parent[j];
    const Transform local = to_transform(
        parent == body::kNoJoint ? rigid[j] : rigid[static_cast<size_t>(parent)].inverse() * rigid[j], unit);
    pose.rotations.push_back(local.rotation);
    pose.offsets.push_back(local.position);
  }
  pose.root_position = pose.offsets[0];
  return pose;
}

// Drops offsets that are as at rest.
void simplify(const body::Skeleton& skeleton, motion::Clip& clip) {
  float size = 0, most = 0;
  for (size_t j = 1; j < skeleton.size(); ++j) {
    size += length(skeleton.joints[j].rest.position);
    for (const body::Pose& pose : clip.frames)
      most = std::max(most, length(pose.offsets[j] - skeleton.joints[j].rest.position));
  }
  if (most > 1e-5f * size) return;
  for (body::Pose& pose : clip.frames) pose.offsets.clear();
}

// A clip that ends as it starts loops: its last frame is its first again.
void find_loop(const body::Skeleton& skeleton, motion::Clip& clip) {
  if (clip.frames.size() < 3) return;
  const body::Pose &first = clip.frames.front(), &last = clip.frames.back();
  float size = 0;
  for (size_t j = 1; j < skeleton.size(); ++j) {
    size = std::max(size, length(skeleton.joints[j].rest.position));
    if (std::fabs(dot(first.rotations[j], last.rotations[j])) < std::cos(0.01f)) return;
  }
  if (std::fabs(dot(first.rotations[0], last.rotations[0])) < std::cos(0.01f)) return;
  if (length(first.root_position - last.root_position) > 0.02f * size) return;
  clip.loops = true;
  clip.frames.pop_back();
}

bool scales_joints(const Joints& joints, const std::vector<Affine3d>& matrices) {
  for (size_t j = 0; j < joints.nodes.size(); ++j) {
    const Eigen::Vector3d now = matrices[joints.nodes[j]].linear().colwise().norm();
    const Eigen::Vector3d then = joints.scale[j].linear().colwise().norm();
    if ((now - then).cwiseAbs().maxCoeff() > 0.02 * then.maxCoeff()) return true;
  }
  return false;
}

// How many frames an animation gets. Throws where all together would be too many.
size_t count_frames(const Animation& animation, double seconds, double rate, size_t nodes, size_t before) {
  const double frames = std::floor(seconds * rate + 0.5) + 1, all = frames + static_cast<double>(before);
  if (!(all <= static_cast<double>(kMaxFrames) &&
        all * static_cast<double>(nodes) <= static_cast<double>(kMaxPosedJoints)))
    throw std::runtime_error("animation '" + animation.name + "': expected at most " +
                             std::to_string(kMaxFrames) + " frames, and " + std::to_string(kMaxPosedJoints) +
                             " frames times nodes, found " + std::to_string(all) + " frames of " +
                             std::to_string(nodes) + " nodes");
  return static_cast<size_t>(frames);
}

}  // namespace

void add_clips(const Scene& scene, const Joints& joints, double unit, const CharacterOptions& options,
               Character& character) {
  size_t frames_before = 0;
  std::string scaled;
  for (const Animation& animation : scene.animations) {
    if (animation.tracks.empty()) continue;
    double start = 1e30, end = -1e30;
    for (const Track& track : animation.tracks)
      start = std::min(start, track.times.front()), end = std::max(end, track.times.back());
    const double rate = options.frames_per_second > 0 ? static_cast<double>(options.frames_per_second)
                                                      : rate_of_keys(animation);
    const size_t frames = count_frames(animation, end - start, rate, scene.nodes.size(), frames_before);
    frames_before += frames;
    motion::Clip clip{animation.name, static_cast<float>(rate), {}, false};
    bool scales = false;
    for (size_t k = 0; k < frames; ++k) {
      const std::vector<Affine3d> matrices =
          node_matrices(scene, animation, std::min(end, start + static_cast<double>(k) / rate));
      clip.frames.push_back(pose_of(joints, matrices, unit));
      scales = scales || scales_joints(joints, matrices);
    }
    if (scales) scaled += (scaled.empty() ? "" : ", ") + animation.name;
    simplify(character.skeleton, clip);
    find_loop(character.skeleton, clip);
    character.clips.push_back(std::move(clip));
  }
  if (!scaled.empty())
    character.notes.push_back("scales of joints change in clips, which is not kept: " + scaled);
}

}  // namespace billow::importer
