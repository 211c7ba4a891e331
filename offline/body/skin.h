// A skin: a closed mesh with skinning weights, made from a character's colliders.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "body/mesh.h"
#include "body/skeleton.h"

namespace billow::body {

inline constexpr size_t kJointsPerVertex = 4;

struct Skin {
  Mesh mesh;  // at rest, in model space
  // Unused entries have weight 0; weights of a vertex add up to 1.
  std::vector<std::array<uint32_t, kJointsPerVertex>> joints;
  std::vector<std::array<float, kJointsPerVertex>> weights;
  std::vector<Transform> joint_rest;  // in model space
};

struct SkinOptions {
  size_t vertices = 9200;   // about as many as there will be
  float spacing = 0.012f;   // m, of the grid the surface is first found on
  float softness = 0.010f;  // m, how far beyond its surface a collider still moves the skin
  int smoothing = 4;        // rounds of averaging the weights over the mesh
};

// Polygonises the zero set of the colliders at rest, and lets each vertex follow the joints of the colliders
// it lies on. Throws std::invalid_argument for colliders that the API refuses, std::runtime_error where the
// surface is not one closed piece.
Skin make_skin(const Skeleton& skeleton, std::span<const billow_collider> colliders,
               const SkinOptions& options = {});

// Linear blend skinning: the vertices where the joints take them. As many results as vertices.
void skin_vertices(const Skin& skin, std::span<const Transform> joints, std::span<V3> out);

// Distances |phi| of the resting skin from the zero set of the colliders.
struct RestAgreement {
  float vertices, edges, faces;  // m, the largest of vertices, edge middles and face centres
  float mean;                    // m, of all of these
};
RestAgreement rest_agreement(const Skin& skin, const Skeleton& skeleton,
                             std::span<const billow_collider> colliders);

}  // namespace billow::body
