// Internals of fit_colliders: skin samples, the signed distance of a set of colliders as a function of its
// parameters, and the least-squares solver.
#pragma once

#include <billow/billow.h>

#include <Eigen/Core>
#include <array>
#include <map>
#include <mutex>
#include <span>
#include <vector>

#include "body/mesh_distance.h"
#include "body/skin.h"
#include "body/surface.h"

namespace billow::fit {

// ---- Samples of the skin (fit_colliders_samples.cpp)

// Points of the visible skin at rest, each representing the same area. Hidden surfaces, such as the inside of
// a mouth or a helmet, or skin covered by another component, have none: there less than an eighth of all
// directions is free.
struct SkinSamples {
  std::vector<uint32_t> triangles;                // triangle of each sample
  std::vector<std::array<float, 3>> barycentric;  // coordinates of each sample in its triangle
  std::vector<body::Triangle> visible_triangles;
  double area = 0, hidden_area = 0;  // m2, of visible and hidden triangles
  float size = 0;                    // m, the longest side of the bounding box
};

// Throws std::invalid_argument if no surface is visible.
SkinSamples sample_skin(const body::Skin& skin, size_t count);

// Joints and skinning weights of a sample, in descending order of weight.
std::vector<std::pair<uint32_t, float>> weights_of(const body::Skin& skin, const SkinSamples& samples,
                                                   size_t sample);

// The samples in a pose.
struct PosedSkin {
  std::vector<Transform> joints;   // in model space
  std::vector<Transform> motions;  // of each joint, from rest to the pose
  std::vector<V3> points;
  std::vector<char> visible;  // false where a fold hides the sample
  body::TriangleTree tree;    // of the triangles that are visible at rest
};
std::vector<PosedSkin> pose_samples(const body::Skeleton& skeleton, const body::Skin& skin,
                                    const SkinSamples& samples, std::span<const body::Pose> poses);

// Tests whether points are inside the skin at rest: nearly no direction is free there. Caches the result per
// cell of a regular grid. Thread-safe.
class InsideSkin {
 public:
  InsideSkin(const body::Skin& skin, float size);
  bool operator()(V3 point);

 private:
  body::TriangleTree tree_;
  float cell_;
  std::mutex mutex_;
  std::map<std::array<int, 3>, bool> cache_;
};

// The mirror image of each joint under x -> -x. Matches children of joints that mirror each other by the rest
// positions of their subtrees. A central joint, or one without a counterpart, is its own mirror image.
std::vector<uint32_t> mirrored_joints(const body::Skeleton& skeleton, float size);

// ---- The model (fit_colliders_model.cpp)

inline void store3(V3 v, float* out) { out[0] = v.x, out[1] = v.y, out[2] = v.z; }

// The surface of a single collider, at rest or rigidly moved.
body::Surface surface_of(billow_collider collider, const Transform& motion = {});

// The signed distance of a set of spheres, tapered capsules, ellipsoids and boxes, with derivatives by their
// parameters. Plain capsules become tapered ones.
//
// Distances to single colliders come from the public API and are combined as in the runtime
// (src/sdf/query.cpp): the minimum, with a smooth minimum of those that blend. Derivatives follow from the
// envelope theorem: the nearest surface point may be held fixed while the surface moves.
class ColliderModel {
 public:
  // Fixed colliders have no parameters. `size` is the character's, in metres; parameters are clamped relative
  // to it.
  ColliderModel(std::vector<billow_collider> colliders, std::vector<bool> fixed, float size);

  const std::vector<billow_collider>& colliders() const { return colliders_; }
  size_t parameters() const { return count_; }
  // Expected magnitude of a change of each parameter: metres, radians or weights.
  Eigen::VectorXd scales() const;
  // Adds `step` to the parameters, then clamps them to their valid range.
  void apply_step(const Eigen::VectorXd& step);

  // A collider in a pose: a point x at rest goes to position + rotation (x - collider.position).
  struct Posed {
    body::Surface surface;  // of this collider alone
    V3 bound;               // centre of a bounding sphere
    float bound_radius;
    V3 position;
    RigidMatrix rotation;
    // d position / d collider.position: the weighted sum of the joints' rotations.
    RigidMatrix position_jacobian;
    V3 position_by_weight[BILLOW_JOINTS_PER_COLLIDER], rotation_by_weight[BILLOW_JOINTS_PER_COLLIDER];
  };
  // `motions`: of each joint, from rest to the pose.
  std::vector<Posed> pose(std::span<const Transform> motions) const;

  void distances(std::span<const Posed> posed, std::span<const V3> points, std::span<float> out) const;

  struct Derivative {
    uint32_t parameter;
    double value;
  };
  // The distance at a point, with its non-zero derivatives.
  struct Linearisation {
    float distance;
    V3 gradient;       // by the point
    uint32_t nearest;  // collider
    std::vector<Derivative> derivatives;
  };
  // Calls visit(index of the point, const Linearisation&).
  template <class Visit>
  void linearise(std::span<const Posed> posed, std::span<const V3> points, Visit visit) const {
    const Distances d = all_distances(posed, points, true);
    Linearisation linear;
    for (size_t i = 0; i < points.size(); ++i) {
      differentiate(posed, d, i, points[i], linear);
      visit(i, static_cast<const Linearisation&>(linear));
    }
  }

 private:
  // Distances of all points to each single collider; 1e30 where it is too far away to matter.
  struct Distances {
    std::vector<std::vector<float>> phi;
    std::vector<std::vector<V3>> gradient;
  };
  // The nearest collider, blended with `other` (or -1), whose blend weight is `blend`.
  struct Nearest {
    int collider, other;
    float phi, blend;
  };
  Distances all_distances(std::span<const Posed> posed, std::span<const V3> points, bool gradients) const;
  Nearest nearest(const Distances& d, size_t point) const;
  void differentiate(std::span<const Posed> posed, const Distances& d, size_t i, V3 point,
                     Linearisation& out) const;
  void add_derivatives(const Posed& p, size_t collider, V3 point, float phi, V3 n, float factor,
                       std::vector<Derivative>& out) const;
  size_t weight_parameters(size_t collider) const;
  void clamp_parameters(billow_collider& c) const;

  std::vector<billow_collider> colliders_;
  std::vector<bool> fixed_;
  std::vector<size_t> first_;  // index of each collider's first parameter
  size_t count_ = 0;
  float size_;
};

// ---- Least squares (fit_colliders_solve.cpp)

// Points of one pose with residuals target + slope * distance, in metres.
struct FitTargets {
  std::span<const Transform> motions;
  std::vector<V3> points;
  std::vector<float> target, slope, weight;

  void add(V3 point, float point_target, float point_slope, float point_weight) {
    points.push_back(point);
    target.push_back(point_target);
    slope.push_back(point_slope);
    weight.push_back(point_weight);
  }
};

struct SolveOptions {
  int iterations = 10;
  double min_gain = 1e-4;  // stops when a step reduces the cost by less than this fraction
  double huber = 0.05;     // residual at which the loss becomes linear, times the character's size
  double prior = 1e-4;  // weight of a quadratic penalty on the change of parameters that no point constrains
};

// Levenberg-Marquardt (Marquardt, "An Algorithm for Least-Squares Estimation of Nonlinear Parameters", 1963)
// with Huber loss. Returns the weighted mean of the loss, m2.
double solve(ColliderModel& model, std::span<const FitTargets> targets, float size,
             const SolveOptions& options);

// Points spread over the surface of a collider at rest, each with the area it represents.
struct SurfacePoint {
  V3 point;
  float area;
};
std::vector<SurfacePoint> surface_points(const billow_collider& collider, size_t count);

// Points on the zero set of posed colliders. `surfaces` has surface points of each collider at rest.
struct ZeroPoint {
  V3 point, normal;
  float distance;  // remaining distance to the zero set
  float area;
  uint32_t collider;
};
std::vector<ZeroPoint> zero_points(const ColliderModel& model,
                                   std::span<const std::vector<SurfacePoint>> surfaces,
                                   std::span<const Transform> motions);

// Adds a target that moves the surface at a point to the nearest point of the skin.
void add_surface_target(const ZeroPoint& p, const body::TriangleTree::Nearest& near, float weight,
                        FitTargets& out);

// Adds such targets for the whole zero set, with a total weight of `weight`.
void add_zero_set_targets(const ColliderModel& model, std::span<const std::vector<SurfacePoint>> surfaces,
                          const PosedSkin& skin, float weight, FitTargets& out);

}  // namespace billow::fit
