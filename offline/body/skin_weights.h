// Skinning weights that follow a character's colliders.
#pragma once

#include <span>

#include "body/skin.h"

namespace billow::body {

// Shares each vertex out to the joints of the colliders it lies on, softly, and smooths the shares over the
// mesh.
void weigh_by_colliders(Skin& skin, const Skeleton& skeleton, std::span<const billow_collider> colliders,
                        const SkinOptions& options);

struct FitOptions {
  int rounds = 3;
  float smoothing = 0.5f;   // share of the neighbours' average in a weight, after each round
  float stiffness = 0.01f;  // m of distance from the surface that a change of a weight by 1 is worth
};

// Changes the weights so that in the given poses the skinned vertices stay on the posed colliders: least
// squares of their signed distances, linearised (Gauss-Newton), each round smoothed over the mesh.
void fit_weights(Skin& skin, const Skeleton& skeleton, std::span<const billow_collider> colliders,
                 std::span<const Pose> poses, const FitOptions& options = {});

}  // namespace billow::body
