// How far apart colliders and skin are in posed frames.
#pragma once

#include <cstdint>
#include <vector>

#include "body/person.h"
#include "body/skin.h"

namespace billow::body {

// Points spread evenly over all that is within `reach` of the skinned surface: the colliders' signed distance
// against the exact one of the skinned mesh. Metres.
struct PosedAgreement {
  size_t points = 0;
  double mean = 0, p95 = 0, most = 0;  // of the absolute differences
  double wrong_sign = 0;               // the deepest point on the wrong side, by the mesh
  V3 wrong_at{0, 0, 0};                // where: the nearest vertex at rest
  std::vector<float> errors;           // all differences, colliders minus mesh
};

PosedAgreement posed_agreement(const Person& person, const Skin& skin, const Pose& pose, size_t points,
                               uint32_t seed, float reach = 0.1f);
// Of several poses together.
PosedAgreement together(const std::vector<PosedAgreement>& parts);

}  // namespace billow::body
