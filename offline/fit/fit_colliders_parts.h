// Internals of fit_colliders: the partition of the skin into parts, and the fitter.
#pragma once

#include <billow/billow.h>

#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "fit/fit_colliders.h"
#include "fit/fit_colliders_model.h"

namespace billow::fit {

// The constant inputs of a fit.
struct FitSubject {
  FitSubject(const body::Skeleton& of_skeleton, const body::Skin& of_skin,
             std::span<const body::Pose> in_poses, size_t sample_count, bool with_boxes);

  const body::Skeleton& skeleton;
  const body::Skin& skin;
  SkinSamples samples;
  std::vector<PosedSkin> poses;  // the first is the rest pose
  std::vector<uint32_t> mirror;  // mirror image of each joint
  mutable InsideSkin inside;     // at rest
  bool boxes;                    // whether boxes are allowed
};

// ---- Parts of the skin, one collider each (fit_colliders_parts.cpp, fit_colliders_shapes.cpp)

struct SkinPart {
  std::vector<uint32_t> joints;  // that move its skin, the one with the most skin first
  std::vector<uint32_t> samples;
  // The best collider of each shape: capsule, ellipsoid, box.
  struct Candidate {
    billow_collider collider;
    double cost;   // m2: squared distances, weighted by the samples' fractions of the skin
    double score;  // the cost with a handicap for boxes
  };
  std::vector<Candidate> candidates;
  size_t chosen = 0;

  const billow_collider& collider() const { return candidates[chosen].collider; }
  double cost() const { return candidates[chosen].cost; }
};

// Fits one collider of each shape to the samples and chooses the best.
void fit_part(const FitSubject& subject, SkinPart& part);
// Chooses the same shape for two parts that mirror each other.
void choose_same_shape(SkinPart& a, SkinPart& b);

// The connected parts of the skin that move mostly with one joint, not fitted yet. Small ones, such as
// fingers and rivets, are merged with a neighbour.
std::vector<SkinPart> initial_parts(const FitSubject& subject);
// The mirror image of each part: its own index for a central part, SIZE_MAX if there is none.
std::vector<size_t> mirrored_parts(const FitSubject& subject, std::span<const SkinPart> parts);

// Partitions the skin: starts from initial_parts, splits those that fit badly, then merges neighbours while
// that costs less than `min_gain` each (m2, as SkinPart::cost) or there are more than `max_parts`. Both sides
// of the body are treated alike.
struct PartsFound {
  std::vector<SkinPart> parts;
  std::vector<size_t> mirror;  // as mirrored_parts
};
PartsFound find_parts(const FitSubject& subject, size_t max_parts, double min_gain);

// The halves of a part, split at the median along one of its principal axes: the given one, or the one with
// the lowest cost.
struct Halves {
  SkinPart parts[2];
  int axis = -1;  // -1: too few samples to split
};
Halves split_part(const FitSubject& subject, const std::vector<uint32_t>& samples, int axis = -1);

// The number of samples of group a that are close to group b, the minimum over all poses: [a * groups + b].
std::vector<size_t> count_contacts(const FitSubject& subject, std::span<const std::vector<uint32_t>> groups);

// ---- The fitter (fit_colliders.cpp, fit_colliders_refine.cpp)

// Fits all colliders together, and changes the worst ones while that reduces the cost enough.
class ColliderFitter {
 public:
  ColliderFitter(const FitSubject& subject, const ColliderFitOptions& options);

  // Starts from one collider per part of the skin, the largest part first; each blends with a neighbour.
  void start();
  void start(std::vector<NamedCollider> colliders) { colliders_ = std::move(colliders); }
  // Improves the colliders with the largest cost: another shape, two for one, or an additional one for a
  // bump.
  void refine();
  // Drops colliders that are nearest nowhere, and names the others after their joints.
  void clean_up();
  // Splits a collider in two. Throws std::invalid_argument for an unknown name.
  void split(const std::string& name);
  // Fits all colliders together: samples the zero set `rounds` times, with `iterations` of the solver each.
  // Returns the cost, in m2.
  double solve_all(int rounds, int iterations);
  // Drops negligible joints and blends, and rounds the parameters.
  std::vector<NamedCollider> finish();

 private:
  // The samples nearest to each collider at rest, and each collider's cost over all poses.
  struct Assignment {
    std::vector<std::vector<uint32_t>> samples;
    std::vector<float> distance;  // signed, of each sample
    std::vector<double> cost;     // of each collider
  };
  enum class Change { kReshape, kSplit, kAddBump };

  ColliderModel model() const;
  std::vector<FitTargets> targets(const ColliderModel& model) const;
  Assignment assign_samples() const;
  bool apply(Change change, const std::vector<std::string>& group, const Assignment& before);
  bool reshape(const std::vector<std::string>& group, const Assignment& before);
  bool split_group(const std::vector<std::string>& group, const Assignment& before);
  bool add_bumps(const std::vector<std::string>& group, const Assignment& before);
  int split_collider(size_t i, const std::vector<uint32_t>& samples, int axis);
  std::vector<uint32_t> bump_at(uint32_t sample, const std::vector<uint32_t>& samples,
                                const Assignment& before) const;
  size_t nearer_half(const billow_collider& collider, const Halves& halves) const;
  void insert_after(size_t i, const billow_collider& collider);
  size_t index_of(const std::string& name) const;
  std::string unique_name(const std::string& wanted) const;
  void report_progress(double fraction) const {
    if (options_.progress) options_.progress(fraction);
  }

  const FitSubject& subject_;
  const ColliderFitOptions& options_;
  double min_gain_;  // m2
  std::vector<NamedCollider> colliders_;
  std::map<std::string, std::string> mirror_;  // mirror images, by name; no entry for central colliders
};

// The smallest radius or half extent.
float thickness(const billow_collider& collider);

}  // namespace billow::fit
