// Least squares over all parameters of a set of colliders.
#pragma once

#include <span>
#include <vector>

#include "fit/fit_colliders_model.h"
#include "fit/fit_colliders_samples.h"

namespace billow::fit {

// Points of one pose, and what the colliders' distance there should be: the residual is target + slope *
// distance, in metres.
struct FitTargets {
  std::span<const Transform> moved;
  std::vector<V3> points;
  std::vector<float> target, slope, weight;

  void add(V3 point, float wanted_target, float wanted_slope, float wanted_weight) {
    points.push_back(point);
    target.push_back(wanted_target);
    slope.push_back(wanted_slope);
    weight.push_back(wanted_weight);
  }
};

struct FitSteps {
  int iterations = 10;
  double enough = 1e-4;  // stops where a step gains less than this share
  double robust = 0.05;  // of the character's size: residuals beyond it count linearly
  double prior = 1e-4;   // pull toward where the parameters began, for those that no point sees
};

// Levenberg-Marquardt (Marquardt, "An Algorithm for Least-Squares Estimation of Nonlinear Parameters", 1963)
// with Huber's loss. Returns the weighted mean of squares, m2 (of what Huber's loss makes of them).
double solve(ColliderModel& model, std::span<const FitTargets> targets, float size, const FitSteps& options);

// Points spread over a collider's surface in its resting place, with the area each stands for.
struct SurfacePoint {
  V3 point;
  float area;
};
std::vector<SurfacePoint> surface_points(const billow_collider& collider, size_t count);

// Points of the zero set of posed colliders; `surfaces` has points of each collider's surface at rest.
struct ZeroPoint {
  V3 point, normal;
  float distance;  // that is left to the zero set
  float area;
  uint32_t collider;
};
std::vector<ZeroPoint> zero_points(const ColliderModel& model,
                                   std::span<const std::vector<SurfacePoint>> surfaces,
                                   std::span<const Transform> moved);

// A target that brings the surface at a point to the nearest point of the skin.
void add_pull(const ZeroPoint& p, const body::TriangleTree::Nearest& near, float weight, FitTargets& out);

// Targets that bring the zero set to the nearest points of the skin. `share` is the weight of all of them
// together.
void add_zero_set(const ColliderModel& model, std::span<const std::vector<SurfacePoint>> surfaces,
                  const PosedSkin& skin, float share, FitTargets& out);

}  // namespace billow::fit
