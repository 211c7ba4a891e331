// Fits colliders to any skinned character: primitives on its joints whose union approximates its skin, in the
// rest pose and in sample poses. Metres; positions in model space at rest, as in billow_collider.
#pragma once

#include <billow/billow.h>

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "body/skin.h"
#include "motion/clip.h"

namespace billow::fit {

struct NamedCollider {
  std::string name;
  billow_collider collider = billow_collider_default();
  bool fixed = false;  // set by hand: a fit does not change it
};

struct ColliderFitOptions {
  size_t max_colliders = 24;
  // Smallest decrease of the RMS distance that justifies a collider, times the character's size.
  double min_gain = 0.0007;
  size_t samples = 3000;           // points on the skin
  bool boxes = true;               // whether boxes are allowed
  std::vector<std::string> split;  // names of colliders to split in two
  // Called from time to time with the completed fraction.
  std::function<void(double)> progress;
};

// Fits from the skin alone. `poses` may be empty. Throws std::invalid_argument for a skin without a visible
// surface or an unknown name in `split`.
std::vector<NamedCollider> fit_colliders(const body::Skeleton& skeleton, const body::Skin& skin,
                                         std::span<const body::Pose> poses,
                                         const ColliderFitOptions& options = {});
// Improves existing colliders by moving and reshaping them. Fixed ones do not change.
std::vector<NamedCollider> refit_colliders(const body::Skeleton& skeleton, const body::Skin& skin,
                                           std::span<const body::Pose> poses,
                                           std::vector<NamedCollider> colliders,
                                           const ColliderFitOptions& options = {});

// Chooses up to `count` frames of the clips by farthest-point sampling, starting from the rest pose.
std::vector<body::Pose> choose_poses(const body::Skeleton& skeleton, const body::Skin& skin,
                                     std::span<const motion::Clip> clips, size_t count);
// Poses for a character without clips: every joint that moves enough skin is rotated by up to `max_angle`
// radians about a random axis.
std::vector<body::Pose> random_bends(const body::Skeleton& skeleton, const body::Skin& skin, size_t count,
                                     float max_angle = 0.6f, uint32_t seed = 1);

struct FitDistances {
  size_t points = 0;
  double mean = 0, p95 = 0, max = 0;  // m
};
struct TwoWayDistances {
  FitDistances to_zero_set;  // |phi| at points of the skin
  FitDistances to_skin;      // from points of the zero set to the nearest point of the visible skin
};
struct ColliderFitError {
  TwoWayDistances rest, posed;
  struct Collider {
    std::string name, joint;   // the joint with the largest weight
    double skin_fraction = 0;  // fraction of the skin that is nearest to this collider
    TwoWayDistances rest, posed;
  };
  std::vector<Collider> colliders;
  float size = 0;              // m, the longest side of the character
  double hidden_fraction = 0;  // fraction of the skin that is ignored: folds, insides, covered surfaces
  // Signed distances at the skin's vertices at rest; positive where the skin is outside the colliders.
  std::vector<float> vertex_distances;
};
ColliderFitError measure_fit(const body::Skeleton& skeleton, const body::Skin& skin,
                             std::span<const NamedCollider> colliders, std::span<const body::Pose> poses,
                             size_t samples = 6000);

// One warning for each collider that fits poorly, with its error and advice.
std::vector<std::string> poor_fits(const ColliderFitError& error);

}  // namespace billow::fit
