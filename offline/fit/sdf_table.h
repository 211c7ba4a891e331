// Signed distances of a body side by side: how exact, how large, how fast. Metres, radians, seconds.
#pragma once

#include <billow/billow.h>

#include <span>
#include <string>
#include <vector>

#include "body/agreement.h"

namespace billow::fit {

struct SdfErrors {
  double mean = 0, p95 = 0, most = 0;    // of |phi - exact|
  double wrong_share = 0, deepest = 0;   // points on the wrong side, and how deep they are by the mesh
  double slope_mean = 0, slope_p95 = 0;  // of | |grad phi| - 1 |, phi's gradient by differences
  double angle_mean = 0, angle_p95 = 0;  // between the gradients of phi and of the exact distance
};

struct SdfRow {
  std::string name;
  size_t colliders = 0, bytes = 0;
  SdfErrors rest, posed;
  // Seconds a point, of a cloud in one call: all distances, and those within 5 cm only.
  double all = 0, near = 0;
};

// Points to measure at, with gradients.
using SdfPoints = std::vector<body::PointsNearSkin>;

// A candidate. `bytes` is what it takes beside the colliders' own struct.
struct SdfCandidate {
  std::string name;
  std::span<const billow_collider> colliders;
  size_t bytes = 0;
};

SdfErrors measure_errors(const body::Skeleton& skeleton, const body::Skin& skin,
                         std::span<const billow_collider> colliders, const SdfPoints& points);

// Errors and times. The times are of the body posed by `joints`, at the points of a cloud.
SdfRow measure(const SdfCandidate& candidate, const body::Skeleton& skeleton, const body::Skin& skin,
               const SdfPoints& rest, const SdfPoints& posed, std::span<const Transform> joints,
               std::span<const V3> cloud);

// 12,690 points as a cape hangs, from the shoulders down the back of a person of 1.75 m, up to 40 cm off the body.
// Along a Z-curve, so that any few in a row are near each other.
std::vector<V3> cape_cloud();

// For people (Markdown) and for programs.
std::string to_markdown(std::span<const SdfRow> rows);
std::string to_json(std::span<const SdfRow> rows);

}  // namespace billow::fit
