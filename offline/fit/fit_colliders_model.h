// The signed distance of a set of colliders as a function of their parameters, with its derivatives.
//
// Each collider's distance is asked of the public API; they are put together as the runtime does: the least
// of all, those that blend merged smoothly (src/sdf/query.cpp).
// Derivatives come from the envelope theorem: the nearest point of a surface may be held still while the
// surface moves.
#pragma once

#include <billow/billow.h>

#include <Eigen/Core>
#include <span>
#include <vector>

#include "body/surface.h"

namespace billow::fit {

inline void store3(V3 v, float* out) { out[0] = v.x, out[1] = v.y, out[2] = v.z; }

// A collider alone in its resting place, or moved as a whole.
body::Surface surface_of(billow_collider collider, const Transform& motion = {});

// Spheres, tapered capsules, ellipsoids and boxes. (Plain capsules become tapered ones.)
class ColliderModel {
 public:
  // Fixed colliders have no parameters. `size` is the character's, in metres: it bounds what is sensible.
  ColliderModel(std::vector<billow_collider> colliders, std::vector<bool> fixed, float size);

  const std::vector<billow_collider>& colliders() const { return colliders_; }
  size_t parameters() const { return count_; }
  // How far each parameter may be expected to go: metres, radians or shares.
  Eigen::VectorXd scales() const;
  // Changes all parameters; what leaves the sensible is brought back.
  void move(const Eigen::VectorXd& by);

  // One collider in a pose: what is at x at rest goes to place + turn (x - position).
  struct Placed {
    body::Surface surface;  // of it alone
    V3 bound;               // centre of a sphere about it
    float bound_radius;
    V3 place;
    RigidMatrix turn;   // of the motion
    RigidMatrix carry;  // derivative of place by position: the weighted sum of the joints' rotations
    V3 place_by_weight[BILLOW_JOINTS_PER_COLLIDER], turn_by_weight[BILLOW_JOINTS_PER_COLLIDER];
  };
  // `moved`: from rest to the pose, one a joint.
  std::vector<Placed> place(std::span<const Transform> moved) const;

  void distances(std::span<const Placed> placed, std::span<const V3> points, std::span<float> out) const;

  struct Slope {
    uint32_t parameter;
    double value;
  };
  // The distance of one point and its derivatives by the parameters that matter there.
  struct Linear {
    float distance;
    V3 gradient;       // by the point
    uint32_t nearest;  // collider
    std::vector<Slope> slopes;
  };
  // Calls visit(index of the point, const Linear&).
  template <class Visit>
  void linearise(std::span<const Placed> placed, std::span<const V3> points, Visit visit) const {
    const Distances d = all_distances(placed, points, true);
    Linear linear;
    for (size_t i = 0; i < points.size(); ++i) {
      differentiate(placed, d, i, points[i], linear);
      visit(i, static_cast<const Linear&>(linear));
    }
  }

 private:
  // Distances of all points to each collider alone, where it is near enough to matter; 1e30 elsewhere.
  struct Distances {
    std::vector<std::vector<float>> phi;
    std::vector<std::vector<V3>> gradient;
  };
  // Which collider is the nearest, merged with `other` (or -1) that has the share `blend`.
  struct Winner {
    int collider, other;
    float phi, blend;
  };
  Distances all_distances(std::span<const Placed> placed, std::span<const V3> points, bool gradients) const;
  Winner winner(const Distances& d, size_t point) const;
  void differentiate(std::span<const Placed> placed, const Distances& d, size_t i, V3 point,
                     Linear& out) const;
  void add_slopes(const Placed& p, size_t collider, V3 point, float phi, V3 n, float share,
                  std::vector<Slope>& out) const;
  size_t joints_of(size_t collider) const;  // how many it follows
  void keep_sensible(billow_collider& c) const;

  std::vector<billow_collider> colliders_;
  std::vector<bool> fixed_;
  std::vector<size_t> first_;  // parameter of each collider
  size_t count_ = 0;
  float size_;
};

}  // namespace billow::fit
