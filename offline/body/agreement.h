// How far apart colliders and skin are in posed frames.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "body/person.h"
#include "body/skin.h"

namespace billow::body {

// Points spread evenly over all that is within `reach` of a skinned surface, with the exact signed distance of the
// skinned mesh. Metres.
struct PointsNearSkin {
  std::vector<Transform> joints;
  std::vector<V3> points;
  std::vector<float> distances;
  std::vector<V3> gradients;  // of unit length; 0 where it has a kink. Empty unless asked for
};
PointsNearSkin points_near_skin(const Skeleton& skeleton, const Skin& skin, const Pose& pose, size_t points,
                                uint32_t seed, float reach = 0.1f, bool gradients = false);

// The colliders' signed distance at such points against the exact one.
struct PosedAgreement {
  size_t points = 0;
  double mean = 0, p95 = 0, most = 0;  // of the absolute differences
  double wrong_sign = 0;               // the deepest point on the wrong side, by the mesh
  size_t wrong = 0;                    // points on the wrong side
  V3 wrong_at{0, 0, 0};                // where the deepest is: the nearest vertex at rest
  std::vector<float> errors;           // all differences, colliders minus mesh
};

PosedAgreement agreement_of(const Skin& skin, const PointsNearSkin& near, std::span<const float> distances);
PosedAgreement posed_agreement(const Person& person, const Skin& skin, const Pose& pose, size_t points,
                               uint32_t seed, float reach = 0.1f);
// Of several poses together.
PosedAgreement together(const std::vector<PosedAgreement>& parts);

}  // namespace billow::body
