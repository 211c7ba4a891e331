// Measures how closely colliders and skin agree, in the rest pose and in others. Metres.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "body/person.h"
#include "body/skin.h"

namespace billow::body {

// Distances |phi| of the skin in the rest pose from the zero set of the colliders.
struct RestAgreement {
  float vertices, edges, faces;  // m, maximum over vertices, edge midpoints and face centroids
  float mean;                    // m, over all of these points
};
RestAgreement rest_agreement(const Skin& skin, const Skeleton& skeleton,
                             std::span<const billow_collider> colliders);

// Points sampled uniformly within `reach` of a skinned surface, with the exact signed distance of the skinned
// mesh.
struct PointsNearSkin {
  std::vector<Transform> joints;
  std::vector<V3> points;
  std::vector<float> distances;
  std::vector<V3>
      gradients;  // unit length; 0 where the distance is not differentiable. Empty unless requested
};
PointsNearSkin points_near_skin(const Skeleton& skeleton, const Skin& skin, const Pose& pose, size_t points,
                                uint32_t seed, float reach = 0.1f, bool gradients = false);

// Errors of the colliders' signed distance at such points.
struct PosedAgreement {
  size_t points = 0;
  double mean = 0, p95 = 0, max = 0;  // absolute errors
  size_t wrong_side = 0;              // points whose sign is wrong
  double max_wrong_depth = 0;         // largest exact |distance| of these points
  V3 deepest_wrong{0, 0, 0};          // rest position of the vertex nearest to that point
  std::vector<float> errors;          // signed: colliders minus mesh
};

PosedAgreement agreement_of(const Skin& skin, const PointsNearSkin& near, std::span<const float> distances);
PosedAgreement posed_agreement(const Person& person, const Skin& skin, const Pose& pose, size_t points,
                               uint32_t seed, float reach = 0.1f);
// Pools the samples of several poses.
PosedAgreement combine(const std::vector<PosedAgreement>& parts);

}  // namespace billow::body
