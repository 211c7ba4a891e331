// Compares signed distances of a body: accuracy, memory and speed. Metres, radians, seconds.
#pragma once

#include <billow/billow.h>

#include <span>
#include <string>
#include <vector>

#include "body/agreement.h"

namespace billow::fit {

struct SdfErrors {
  double mean = 0, p95 = 0, max = 0;     // of |phi - exact|
  double wrong_fraction = 0;             // of points with the wrong sign
  double max_wrong_depth = 0;            // largest exact |distance| of these
  double slope_mean = 0, slope_p95 = 0;  // of | |grad phi| - 1 |, with the gradient by finite differences
  double angle_mean = 0, angle_p95 = 0;  // between the gradients of phi and of the exact distance
};

struct SdfRow {
  std::string name;
  size_t colliders = 0, bytes = 0;
  SdfErrors rest, posed;
  // Seconds per point of a cloud in one call, without limit and with a limit of 5 cm.
  double seconds_all = 0, seconds_near = 0;
};

// Points to measure at, with exact gradients.
using SdfPoints = std::vector<body::PointsNearSkin>;

// A set of colliders to compare. `bytes` is its memory besides the collider structs.
struct SdfCandidate {
  std::string name;
  std::span<const billow_collider> colliders;
  size_t bytes = 0;
};

SdfErrors measure_errors(const body::Skeleton& skeleton, const body::Skin& skin,
                         std::span<const billow_collider> colliders, const SdfPoints& points);

// Measures errors and times; the times with the body posed by `joints`, at the points of a cloud.
SdfRow measure(const SdfCandidate& candidate, const body::Skeleton& skeleton, const body::Skin& skin,
               const SdfPoints& rest, const SdfPoints& posed, std::span<const Transform> joints,
               std::span<const V3> cloud);

// 12,690 points in the shape of a cape on the back of a person of 1.75 m, up to 40 cm from the body. In
// Z-curve order, so that consecutive points are close together.
std::vector<V3> cape_cloud();

std::string to_markdown(std::span<const SdfRow> rows);
std::string to_json(std::span<const SdfRow> rows);

}  // namespace billow::fit
