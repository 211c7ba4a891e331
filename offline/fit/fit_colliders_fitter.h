// How fit_colliders() gets from parts of a skin to colliders: all are fitted together, the worst are changed
// while it pays.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "fit/fit_colliders.h"
#include "fit/fit_colliders_parts.h"
#include "fit/fit_colliders_solve.h"

namespace billow::fit {

class ColliderFitter {
 public:
  ColliderFitter(const FitSubject& subject, const ColliderFitOptions& options);

  // Colliders of the skin's parts, the largest first; each blends with one it touches.
  void start();
  void start(std::vector<NamedCollider> colliders) { colliders_ = std::move(colliders); }
  // Changes the colliders that fit worst: another shape, two for one, one more for what sticks out.
  void refine();
  // Drops colliders that are nowhere the nearest, and names the others after the joints they follow.
  void tidy();
  // Puts two in the place of one. Throws std::invalid_argument for a name that there is not.
  void split(const std::string& name);
  // Fits all together: `rounds` times new points on the zero set, each with so many iterations. The cost, in
  // m2.
  double solve_all(int rounds, int iterations);
  // Drops joints and blends that do nothing and rounds the numbers.
  std::vector<NamedCollider> finish();

 private:
  // What each collider has at rest, and what it costs over all poses.
  struct Owned {
    std::vector<std::vector<uint32_t>> samples;
    std::vector<float> distance;  // signed, one a sample
    std::vector<double> cost;     // one a collider
  };
  enum class Change { kReshape, kCut, kBump };

  ColliderModel model() const;
  std::vector<FitTargets> targets(const ColliderModel& model) const;
  Owned owned() const;
  bool apply(Change change, const std::vector<std::string>& group, const Owned& before);
  bool reshape(const std::vector<std::string>& group, const Owned& before);
  bool cut(const std::vector<std::string>& group, const Owned& before);
  bool add_bumps(const std::vector<std::string>& group, const Owned& before);
  int cut_one(size_t i, const std::vector<uint32_t>& samples, int axis);
  std::vector<uint32_t> bump_at(uint32_t sample, const std::vector<uint32_t>& samples,
                                const Owned& before) const;
  size_t nearer_half(const billow_collider& collider, const Halves& halves) const;
  void insert_after(size_t i, const billow_collider& collider);
  size_t place_of(const std::string& name) const;
  std::string free_name(const std::string& wanted) const;
  void tell(double share) const {
    if (options_.progress) options_.progress(share);
  }

  const FitSubject& subject_;
  const ColliderFitOptions& options_;
  double worth_;  // m2
  std::vector<NamedCollider> colliders_;
  std::map<std::string, std::string> mirror_;  // by name; none for those in the middle
};

// Half of how thick it is where it is thinnest.
float thickness(const billow_collider& collider);

}  // namespace billow::fit
