// The targets of a fit: points on the visible skin, sample poses, and the mirror images of joints.
#include <algorithm>
#include <cmath>
#include <optional>
#include <random>
#include <stdexcept>

#include "fit/fit_colliders.h"
#include "fit/fit_colliders_model.h"
#include "parallel.h"

namespace billow::fit {
namespace {

constexpr float kGolden = 2.39996323f;  // radians: the golden angle
constexpr size_t kRays = 48;            // visibility rays per point
constexpr size_t kVisibleRays = 6;      // unobstructed rays of a visible point
constexpr size_t kOutsideRays = 2;      // unobstructed rays of a point outside the skin

float unit_random(std::mt19937& engine) {
  return static_cast<float>(static_cast<double>(engine()) / 4294967296.0);
}

// Directions spread evenly over the sphere (Fibonacci spiral).
const std::vector<V3>& directions() {
  static const std::vector<V3> all = [] {
    std::vector<V3> out;
    for (size_t k = 0; k < kRays; ++k) {
      // Permute them, so that any prefix covers all directions and tests can end early.
      const auto i = static_cast<float>(k * 29 % kRays);
      const float y = 1 - 2 * (i + 0.5f) / static_cast<float>(kRays), r = std::sqrt(1 - y * y);
      out.push_back({r * std::cos(kGolden * i), y, r * std::sin(kGolden * i)});
    }
    return out;
  }();
  return all;
}

// Whether at least `enough` rays from a point are unobstructed. The point may lie on the surface: rays go to
// both sides.
bool is_visible(const body::TriangleTree& tree, V3 point, float size, size_t enough) {
  size_t free = 0;
  for (const V3& d : directions())
    if (!tree.hit_by_ray(point, d, 1e-4f * size) && ++free >= enough) return true;
  return false;
}

float longest_side(std::span<const V3> points) {
  V3 low = points[0], high = points[0];
  for (const V3& p : points) {
    low = {std::min(low.x, p.x), std::min(low.y, p.y), std::min(low.z, p.z)};
    high = {std::max(high.x, p.x), std::max(high.y, p.y), std::max(high.z, p.z)};
  }
  return std::max({high.x - low.x, high.y - low.y, high.z - low.z});
}

V3 on_triangle(std::span<const V3> positions, const body::Triangle& t, const std::array<float, 3>& b) {
  return positions[t[0]] * b[0] + positions[t[1]] * b[1] + positions[t[2]] * b[2];
}

}  // namespace

SkinSamples sample_skin(const body::Skin& skin, size_t count) {
  const std::vector<V3>& positions = skin.mesh.positions;
  SkinSamples out;
  if (!positions.empty()) out.size = longest_side(positions);
  const body::TriangleTree tree(positions, skin.mesh.triangles);

  // Collect the visible triangles with their cumulative area.
  std::vector<uint32_t> visible;
  std::vector<double> cumulative;
  for (uint32_t t = 0; t < skin.mesh.triangles.size(); ++t) {
    const body::Triangle& v = skin.mesh.triangles[t];
    const double area = 0.5 * static_cast<double>(length(body::area_normal(positions, v)));
    if (!(area > 0)) continue;
    if (!is_visible(tree, on_triangle(positions, v, {1.0f / 3, 1.0f / 3, 1.0f / 3}), out.size,
                    kVisibleRays)) {
      out.hidden_area += area;
      continue;
    }
    out.visible_triangles.push_back(v);
    out.area += area;
    visible.push_back(t);
    cumulative.push_back(out.area);
  }
  if (!(out.area > 0) || !std::isfinite(out.area))
    throw std::invalid_argument("fit: expected a skin with a visible surface, found none of its " +
                                std::to_string(skin.mesh.triangles.size()) + " triangles visible");

  // Draw stratified samples of the cumulative area.
  std::mt19937 engine(1);
  size_t at = 0;
  for (size_t k = 0; k < count; ++k) {
    const double here = (static_cast<double>(k) + static_cast<double>(unit_random(engine))) * out.area /
                        static_cast<double>(count);
    while (at + 1 < cumulative.size() && cumulative[at] < here) ++at;
    const float root = std::sqrt(unit_random(engine)), v = unit_random(engine);
    out.triangles.push_back(visible[at]);
    out.barycentric.push_back({1 - root, root * (1 - v), root * v});
  }
  return out;
}

std::vector<std::pair<uint32_t, float>> weights_of(const body::Skin& skin, const SkinSamples& samples,
                                                   size_t sample) {
  std::map<uint32_t, float> sums;
  const body::Triangle& t = skin.mesh.triangles[samples.triangles[sample]];
  for (size_t corner = 0; corner < 3; ++corner)
    for (size_t k = 0; k < body::kJointsPerVertex; ++k)
      if (skin.weights[t[corner]][k] > 0)
        sums[skin.joints[t[corner]][k]] += samples.barycentric[sample][corner] * skin.weights[t[corner]][k];
  if (sums.empty()) sums[0] = 1;
  std::vector<std::pair<uint32_t, float>> out(sums.begin(), sums.end());
  std::stable_sort(out.begin(), out.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  return out;
}

namespace {

PosedSkin pose_one(const body::Skeleton& skeleton, const body::Skin& skin, const SkinSamples& samples,
                   const body::Pose& pose) {
  std::vector<Transform> joints = joint_transforms(skeleton, pose);
  std::vector<V3> vertices(skin.mesh.positions.size());
  skin_vertices(skin, joints, vertices);
  std::vector<Transform> motions;
  for (size_t j = 0; j < joints.size(); ++j) motions.push_back(joints[j] * inverse(skin.joint_rest[j]));
  PosedSkin out{
      std::move(joints), std::move(motions), {}, {}, body::TriangleTree(vertices, samples.visible_triangles)};
  for (size_t i = 0; i < samples.triangles.size(); ++i) {
    const V3 p = on_triangle(vertices, skin.mesh.triangles[samples.triangles[i]], samples.barycentric[i]);
    out.points.push_back(p);
    out.visible.push_back(is_visible(out.tree, p, samples.size, kVisibleRays));
  }
  return out;
}

}  // namespace

std::vector<PosedSkin> pose_samples(const body::Skeleton& skeleton, const body::Skin& skin,
                                    const SkinSamples& samples, std::span<const body::Pose> poses) {
  std::vector<std::optional<PosedSkin>> posed(poses.size());
  for_each_in_parallel(poses.size(),
                       [&](size_t p) { posed[p] = pose_one(skeleton, skin, samples, poses[p]); });
  std::vector<PosedSkin> out;
  for (std::optional<PosedSkin>& p : posed) out.push_back(std::move(*p));
  return out;
}

InsideSkin::InsideSkin(const body::Skin& skin, float size)
    : tree_(skin.mesh.positions, skin.mesh.triangles), cell_(size / 64) {}

bool InsideSkin::operator()(V3 p) {
  const auto cell = [this](float v) { return static_cast<int>(std::floor(v / cell_)); };
  const std::array<int, 3> key{cell(p.x), cell(p.y), cell(p.z)};
  {
    const std::lock_guard lock(mutex_);
    if (const auto found = cache_.find(key); found != cache_.end()) return found->second;
  }
  const auto middle = [this](int c) { return (static_cast<float>(c) + 0.5f) * cell_; };
  const bool inside =
      !is_visible(tree_, {middle(key[0]), middle(key[1]), middle(key[2])}, 64 * cell_, kOutsideRays);
  const std::lock_guard lock(mutex_);
  return cache_.emplace(key, inside).first->second;
}

std::vector<uint32_t> mirrored_joints(const body::Skeleton& skeleton, float size) {
  // Compare the centroids of subtrees: joints at the same position may have different children.
  const size_t n = skeleton.size();
  std::vector<V3> centroid;
  for (const Transform& t : rest_transforms(skeleton)) centroid.push_back(t.position);
  std::vector<float> count(n, 1);
  for (size_t j = n; j-- > 1;) {
    const auto parent = static_cast<size_t>(skeleton.joints[j].parent);
    centroid[parent] += centroid[j], count[parent] += count[j];
  }
  for (size_t j = 0; j < n; ++j) centroid[j] = centroid[j] * (1 / count[j]);
  std::vector<uint32_t> out(n);
  std::vector<char> done(n, 0);
  done[0] = 1;
  for (uint32_t j = 1; j < n; ++j) {
    if (done[j]) continue;
    // Compare with the children of the parent's mirror image; these include the joint itself if its parent is
    // central.
    const auto parent = static_cast<size_t>(skeleton.joints[j].parent);
    const V3 mirrored{-centroid[j].x, centroid[j].y, centroid[j].z};
    float best = 0.05f * size;
    out[j] = j;
    for (uint32_t k = 1; k < n; ++k)
      if (static_cast<size_t>(skeleton.joints[k].parent) == out[parent] && !done[k])
        if (const float d = length(centroid[k] - mirrored); d < best) best = d, out[j] = k;
    out[out[j]] = j;
    done[j] = done[out[j]] = 1;
  }
  return out;
}

std::vector<body::Pose> choose_poses(const body::Skeleton& skeleton, const body::Skin& skin,
                                     std::span<const motion::Clip> clips, size_t count) {
  constexpr size_t kCandidates = 240, kPoints = 200;
  size_t frames = 0;
  for (const motion::Clip& clip : clips) frames += clip.frames.size();
  const std::vector<V3>& rest = skin.mesh.positions;
  if (frames == 0 || rest.empty()) return {};

  // Describe a pose by a subset of vertices in the frame of the joint that moves the most skin.
  std::vector<double> moves(skeleton.size(), 0);
  for (size_t v = 0; v < rest.size(); ++v)
    for (size_t k = 0; k < body::kJointsPerVertex; ++k)
      moves[skin.joints[v][k]] += static_cast<double>(skin.weights[v][k]);
  const auto trunk = static_cast<size_t>(std::max_element(moves.begin(), moves.end()) - moves.begin());
  const auto shape_of = [&](const body::Pose& pose) {
    const std::vector<Transform> joints = joint_transforms(skeleton, pose);
    std::vector<V3> all(rest.size()), some;
    skin_vertices(skin, joints, all);
    const Transform back = inverse(joints[trunk]);
    const size_t step = std::max<size_t>(1, rest.size() / kPoints);
    for (size_t v = 0; v < rest.size(); v += step) some.push_back(apply(back, all[v]));
    return some;
  };
  std::vector<const body::Pose*> candidates;
  std::vector<std::vector<V3>> shapes;
  size_t number = 0;
  for (const motion::Clip& clip : clips)
    for (const body::Pose& pose : clip.frames)
      if (number++ % (frames / kCandidates + 1) == 0) {
        candidates.push_back(&pose);
        shapes.push_back(shape_of(pose));
      }

  // Farthest-point sampling.
  std::vector<body::Pose> out;
  std::vector<float> nearest(candidates.size(), 1e30f);
  std::vector<V3> last = shape_of(rest_pose(skeleton));
  while (out.size() < std::min(count, candidates.size())) {
    for (size_t i = 0; i < candidates.size(); ++i) {
      float sum = 0;
      for (size_t k = 0; k < last.size(); ++k) sum += dot(shapes[i][k] - last[k], shapes[i][k] - last[k]);
      nearest[i] = std::min(nearest[i], sum);
    }
    const auto best = static_cast<size_t>(std::max_element(nearest.begin(), nearest.end()) - nearest.begin());
    if (!(nearest[best] > 0)) break;
    out.push_back(*candidates[best]);
    last = shapes[best];
  }
  return out;
}

std::vector<body::Pose> random_bends(const body::Skeleton& skeleton, const body::Skin& skin, size_t count,
                                     float max_angle, uint32_t seed) {
  // Sum the skin area that each joint's subtree moves. Joints with little, such as fingers and faces, stay at
  // rest.
  constexpr double kMinAreaFraction = 0.015;
  std::vector<double> moves(skeleton.size(), 0);
  for (const body::Triangle& t : skin.mesh.triangles) {
    const auto area = static_cast<double>(length(body::area_normal(skin.mesh.positions, t)));
    for (const uint32_t v : t)
      for (size_t k = 0; k < body::kJointsPerVertex; ++k)
        moves[skin.joints[v][k]] += area * static_cast<double>(skin.weights[v][k]);
  }
  for (size_t j = skeleton.size(); j-- > 1;)
    moves[static_cast<size_t>(skeleton.joints[j].parent)] += moves[j];
  std::mt19937 engine(seed);
  std::vector<body::Pose> out;
  for (size_t i = 0; i < count; ++i) {
    body::Pose pose = rest_pose(skeleton);
    for (size_t j = 1; j < skeleton.size(); ++j) {
      if (moves[j] < kMinAreaFraction * moves[0]) continue;
      const auto signed_random = [&] { return 2 * unit_random(engine) - 1; };
      const V3 axis{signed_random(), signed_random(), signed_random()};
      pose.rotations[j] = pose.rotations[j] * body::rotation_about(axis, max_angle * signed_random());
    }
    out.push_back(std::move(pose));
  }
  return out;
}

}  // namespace billow::fit
