#include "import/scene.h"

#include <Eigen/LU>
#include <Eigen/SVD>
#include <algorithm>
#include <cmath>
#include <cstring>
#include <stdexcept>
#include <string>
#include <unordered_map>

namespace billow::importer {
namespace {

using Eigen::Affine3d;
using Eigen::Matrix3d;
using Eigen::Quaterniond;
using Eigen::Vector4d;

Quaterniond to_quaternion(const Vector4d& v) {
  return v.norm() > 1e-9 ? Quaterniond(v[3], v[0], v[1], v[2]).normalized() : Quaterniond::Identity();
}

// A track's value at a time (glTF 2.0 specification, appendix C).
Vector4d value_at(const Track& track, double seconds) {
  const bool cubic = track.interpolation == Track::Interpolation::cubic;
  const auto value = [&](size_t k) { return track.values[cubic ? 3 * k + 1 : k]; };
  const size_t next = static_cast<size_t>(std::upper_bound(track.times.begin(), track.times.end(), seconds) -
                                          track.times.begin());
  if (next == 0) return value(0);
  if (next == track.times.size() || track.interpolation == Track::Interpolation::step) return value(next - 1);
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

std::vector<Affine3d> to_world(const Scene& scene, const std::vector<NodeTransform>& local) {
  std::vector<Affine3d> out;
  out.reserve(local.size());
  for (size_t i = 0; i < local.size(); ++i) {
    const int parent = scene.nodes[i].parent;
    out.push_back(parent < 0 ? local[i].matrix() : out[static_cast<size_t>(parent)] * local[i].matrix());
  }
  return out;
}

std::vector<NodeTransform> local_transforms(const Scene& scene) {
  std::vector<NodeTransform> local;
  for (const SceneNode& node : scene.nodes) local.push_back(node.transform);
  return local;
}

}  // namespace

NodeTransform decompose(const Affine3d& matrix) {
  NodeTransform out;
  out.translation = matrix.translation();
  Eigen::Matrix3d rotation, stretch;
  matrix.computeRotationScaling(&rotation, &stretch);
  out.rotation = Quaterniond(rotation).normalized();
  out.scale = stretch.diagonal();
  return out;
}

std::vector<Affine3d> node_matrices(const Scene& scene) { return to_world(scene, local_transforms(scene)); }

std::vector<Affine3d> node_matrices(const Scene& scene, const Animation& animation, double seconds) {
  std::vector<NodeTransform> local = local_transforms(scene);
  for (const Track& track : animation.tracks) {
    NodeTransform& transform = local[static_cast<size_t>(track.node)];
    const Vector4d value = value_at(track, seconds);
    if (track.path == Track::Path::translation) transform.translation = value.head<3>();
    if (track.path == Track::Path::rotation) transform.rotation = to_quaternion(value);
    if (track.path == Track::Path::scale) transform.scale = value.head<3>();
  }
  return to_world(scene, local);
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
  // Keep the largest. The sort is stable, so that ties are resolved deterministically.
  std::stable_sort(weights.begin(), weights.end(),
                   [](const BoneWeight& a, const BoneWeight& b) { return a.weight > b.weight; });
  weights.resize(body::kJointsPerVertex, {0, 0});
  sum = 0;
  for (const BoneWeight& w : weights) sum += static_cast<double>(w.weight);
  std::array<uint32_t, body::kJointsPerVertex> joints{};
  std::array<float, body::kJointsPerVertex> normalised{};
  for (size_t k = 0; k < body::kJointsPerVertex; ++k) {
    joints[k] = weights[k].weight > 0 ? weights[k].bone : 0;
    normalised[k] = static_cast<float>(static_cast<double>(weights[k].weight) / sum);
  }
  mesh.joints.push_back(joints);
  mesh.weights.push_back(normalised);
}

Rigid rigid_part(const Affine3d& matrix) {
  Rigid out = Rigid::Identity();
  out.translation() = matrix.translation();
  Matrix3d rotation = matrix.linear();
  if (rotation.determinant() < 0) rotation.col(0) *= -1;
  // Normalise the columns if they are orthogonal; else take the nearest rotation.
  const Eigen::Vector3d lengths = rotation.colwise().norm();
  if (lengths.minCoeff() > 1e-9) {
    for (int k = 0; k < 3; ++k) rotation.col(k) /= lengths[k];
    if ((rotation.transpose() * rotation - Matrix3d::Identity()).cwiseAbs().maxCoeff() < 1e-6) {
      out.linear() = Eigen::Quaterniond(rotation).normalized().toRotationMatrix();
      return out;
    }
  }
  Affine3d linear = Affine3d::Identity();
  linear.linear() = rotation;
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
  std::unordered_map<std::string, uint32_t> indices;
  std::vector<uint32_t> new_index(skin.mesh.positions.size());
  body::Skin out;
  for (size_t v = 0; v < skin.mesh.positions.size(); ++v) {
    const V3 p = skin.mesh.positions[v];
    const Key key{p + V3{0, 0, 0}, skin.joints[v], skin.weights[v]};  // adding 0 turns -0 into 0
    std::string bytes(sizeof key, '\0');
    std::memcpy(bytes.data(), &key, sizeof key);
    const auto [entry, is_new] =
        indices.emplace(std::move(bytes), static_cast<uint32_t>(out.mesh.positions.size()));
    new_index[v] = entry->second;
    if (!is_new) continue;
    out.mesh.positions.push_back(p);
    out.joints.push_back(skin.joints[v]);
    out.weights.push_back(skin.weights[v]);
  }
  for (const body::Triangle& t : skin.mesh.triangles) {
    const body::Triangle welded{new_index[t[0]], new_index[t[1]], new_index[t[2]]};
    if (welded[0] != welded[1] && welded[1] != welded[2] && welded[2] != welded[0])
      out.mesh.triangles.push_back(welded);
  }
  skin = std::move(out);
}

namespace {

// Frames per second of an animation: the median rate of its keys, or 60 if that is below 11 or above 130.
double key_rate(const Animation& animation) {
  const Track* densest = nullptr;
  for (const Track& track : animation.tracks)
    if (!densest || track.times.size() > densest->times.size()) densest = &track;
  if (!densest || densest->times.size() < 2) return 30;
  std::vector<double> steps;
  for (size_t k = 1; k < densest->times.size(); ++k)
    steps.push_back(densest->times[k] - densest->times[k - 1]);
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

// Drops offsets if they all equal the rest pose.
void drop_rest_offsets(const body::Skeleton& skeleton, motion::Clip& clip) {
  float size = 0, max_change = 0;
  for (size_t j = 1; j < skeleton.size(); ++j) {
    size += length(skeleton.joints[j].rest.position);
    for (const body::Pose& pose : clip.frames)
      max_change = std::max(max_change, length(pose.offsets[j] - skeleton.joints[j].rest.position));
  }
  if (max_change > 1e-5f * size) return;
  for (body::Pose& pose : clip.frames) pose.offsets.clear();
}

// Marks a clip as looping if its last frame repeats its first, and removes the last frame.
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
    const Eigen::Vector3d animated = matrices[joints.nodes[j]].linear().colwise().norm();
    const Eigen::Vector3d at_rest = joints.scale[j].linear().colwise().norm();
    if ((animated - at_rest).cwiseAbs().maxCoeff() > 0.02 * at_rest.maxCoeff()) return true;
  }
  return false;
}

// The number of frames of an animation. Throws if the total over all animations exceeds the limits.
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
    const double rate =
        options.frames_per_second > 0 ? static_cast<double>(options.frames_per_second) : key_rate(animation);
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
    drop_rest_offsets(character.skeleton, clip);
    find_loop(character.skeleton, clip);
    character.clips.push_back(std::move(clip));
  }
  if (!scaled.empty()) character.notes.push_back("animated joint scales are ignored in: " + scaled);
}

}  // namespace billow::importer
