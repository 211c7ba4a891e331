// Colliders for any skinned character: shapes on its joints that together come as near to its skin as they
// can, at rest and in poses. Metres; positions in model space at rest, as billow_collider has them.
//
#pragma once

#include <billow/billow.h>

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "body/skin.h"

namespace billow::fit {

struct NamedCollider {
  std::string name;
  billow_collider collider = billow_collider_default();
  bool fixed = false;  // set by hand: a fit leaves it as it is
};

struct ColliderFitOptions {
  size_t most = 24;       // colliders
  double worth = 0.0007;  // of the character's size: what a collider has to take from the mean distance
                          // (as the root of the mean of squares) to be there
  size_t samples = 3000;  // points of the skin
  bool boxes = true;      // whether boxes may stand for parts
  std::vector<std::string> split;  // colliders to cut in two, by name
  // Called now and then with the share that is done.
  std::function<void(double)> progress;
};

// From the skin alone. `poses` may be empty. Throws std::invalid_argument for a skin without an outside or a
// name to split that there is not.
std::vector<NamedCollider> fit_colliders(const body::Skeleton& skeleton, const body::Skin& skin,
                                         std::span<const body::Pose> poses,
                                         const ColliderFitOptions& options = {});
// From colliders that are there: the same ones, moved and reshaped to fit better. Those that are fixed stay
// as they are.
std::vector<NamedCollider> refit_colliders(const body::Skeleton& skeleton, const body::Skin& skin,
                                           std::span<const body::Pose> poses,
                                           std::vector<NamedCollider> colliders,
                                           const ColliderFitOptions& options = {});

struct FitDistances {
  size_t points = 0;
  double mean = 0, p95 = 0, most = 0;  // m
};
// From the skin to the zero set (|phi| of the skin's points), and from the zero set to the skin (the nearest
// point of what can be seen of it).
struct BothWays {
  FitDistances out, back;
};
struct ColliderFitError {
  BothWays rest, posed;
  struct Collider {
    std::string name, joint;  // the joint it follows most
    double share = 0;         // of the skin, for which it is the nearest
    BothWays rest, posed;
  };
  std::vector<Collider> colliders;
  float size = 0;     // m, the longest side of the character
  double hidden = 0;  // share of the skin that is left out: folds, insides, what is covered
  std::vector<float>
      at_vertices;  // signed, of the resting skin's vertices; positive where the skin is outside
};
ColliderFitError measure_fit(const body::Skeleton& skeleton, const body::Skin& skin,
                             std::span<const NamedCollider> colliders, std::span<const body::Pose> poses,
                             size_t samples = 6000);

// One sentence for each collider that fits poorly: which, by how much, and what to do.
std::vector<std::string> poor_fits(const ColliderFitError& error);

}  // namespace billow::fit
