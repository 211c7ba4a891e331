// What colliders are fitted to: points spread evenly over what can be seen of a skin, in several poses.
#pragma once

#include <array>
#include <map>
#include <mutex>
#include <span>
#include <vector>

#include "body/skin.h"
#include "body/triangle_tree.h"
#include "motion/clip.h"

namespace billow::fit {

// Points of the resting skin that each stand for the same area. Hidden surfaces, such as a mouth's inside, a
// helmet's, or what another piece covers, have none: less than an eighth of all directions is free there.
struct SkinSamples {
  std::vector<uint32_t> triangles;            // of the skin, one a sample
  std::vector<std::array<float, 3>> corners;  // shares of the triangle's corners
  std::vector<body::Triangle> seen;           // all triangles that can be seen
  double area = 0, hidden = 0;                // m2, of these and of the others
  float size = 0;                             // m, the longest side of the box about them
};

// Throws std::invalid_argument where a skin has no area.
SkinSamples sample_skin(const body::Skin& skin, size_t count);

// How much each joint moves a sample: pairs of joint and weight, the largest first.
std::vector<std::pair<uint32_t, float>> weights_of(const body::Skin& skin, const SkinSamples& samples,
                                                   size_t sample);

// The samples where poses take them.
struct PosedSkin {
  std::vector<Transform> joints;  // in model space
  std::vector<Transform> moved;   // from the place at rest to the place in the pose, one a joint
  std::vector<V3> points;
  std::vector<char> seen;   // a fold may hide a sample
  body::TriangleTree tree;  // of the triangles that can be seen at rest
};
std::vector<PosedSkin> pose_samples(const body::Skeleton& skeleton, const body::Skin& skin,
                                    const SkinSamples& samples, std::span<const body::Pose> poses);

// Whether points are inside the resting skin: nearly no direction is free there. Remembers cells of the
// space.
class InsideSkin {
 public:
  InsideSkin(const body::Skin& skin, float size);
  bool operator()(V3 point);

 private:
  body::TriangleTree tree_;
  float cell_;
  std::mutex mutex_;
  std::map<std::array<int, 3>, bool> known_;
};

// The joint on the other side of each, mirrored in x: children of joints that mirror each other, by where
// they and all below them rest. A joint in the middle, or without a counterpart, is its own.
std::vector<uint32_t> mirrored_joints(const body::Skeleton& skeleton, float size);

// Frames of the clips that differ most from the rest pose and from each other, the most different first.
std::vector<body::Pose> choose_poses(const body::Skeleton& skeleton, const body::Skin& skin,
                                     std::span<const motion::Clip> clips, size_t count);
// Poses for a character without clips: every joint that moves enough skin turned by up to `most` radians
// about a random axis.
std::vector<body::Pose> random_bends(const body::Skeleton& skeleton, const body::Skin& skin, size_t count,
                                     float most = 0.6f, uint32_t seed = 1);

}  // namespace billow::fit
