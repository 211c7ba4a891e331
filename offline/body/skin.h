// A skin: a closed mesh with skinning weights, generated from a character's colliders.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "body/mesh.h"
#include "body/skeleton.h"

namespace billow::body {

inline constexpr size_t kJointsPerVertex = 4;

struct Skin {
  Mesh mesh;  // rest pose, in model space
  // Unused entries have weight 0; the weights of a vertex sum to 1.
  std::vector<std::array<uint32_t, kJointsPerVertex>> joints;
  std::vector<std::array<float, kJointsPerVertex>> weights;
  std::vector<Transform> joint_rest;  // in model space
};

struct SkinOptions {
  size_t vertices = 9200;   // target; the result is close to it
  float spacing = 0.012f;   // m, grid spacing of the polygonisation
  float softness = 0.010f;  // m, falloff of a collider's influence with distance from its surface
  int smoothing = 4;        // passes of Laplacian smoothing of the weights
};

// Polygonises the zero set of the colliders in the rest pose and binds each vertex to the joints of the
// colliders it lies on. Throws std::invalid_argument for colliders that the API refuses, std::runtime_error
// if the surface is not a single closed component.
Skin make_skin(const Skeleton& skeleton, std::span<const billow_collider> colliders,
               const SkinOptions& options = {});

// Linear blend skinning. `out` has one entry per vertex.
void skin_vertices(const Skin& skin, std::span<const Transform> joints, std::span<V3> out);

struct WeightFitOptions {
  int rounds = 3;
  float smoothing = 0.5f;   // Laplacian smoothing factor of the weights after each round
  float stiffness = 0.01f;  // m, Tikhonov regularisation: the distance that a weight change of 1 costs
};

// Fits the weights so that skinned vertices stay on the posed colliders: Gauss-Newton on the signed distances
// in the given poses, with smoothing over the mesh after each round.
void fit_weights(Skin& skin, const Skeleton& skeleton, std::span<const billow_collider> colliders,
                 std::span<const Pose> poses, const WeightFitOptions& options = {});

}  // namespace billow::body
