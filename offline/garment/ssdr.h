// Virtual bones from animated cloth: rigid bone transforms and sparse weights that best reproduce all frames
// (Le and Deng, "Smooth Skinning Decomposition with Rigid Bones", SIGGRAPH Asia 2012).
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "garment/garment.h"

namespace billow::garment {

inline constexpr size_t kBonesPerVertex = 4;

struct SsdrOptions {
  size_t bones = 20;
  int rounds = 40;                          // maximum alternations of weights and transforms
  double tolerance = 0.002;                 // stop when a round reduces the error by less than this fraction
  std::function<void(double)> report = {};  // progress, 0 to 1
};

struct Ssdr {
  std::vector<Embedding> embeddings;  // per bone, near the centroid of the cloth it moves
  std::vector<std::array<uint32_t, kBonesPerVertex>> bones;  // per vertex
  std::vector<std::array<float, kBonesPerVertex>> weights;   // per vertex, convex
  std::vector<Transform> transforms;                         // from rest: [frame][bone]
  double rms = 0;                                            // m, over all vertices and frames
};

// `frames`: [frame][vertex]. Throws std::invalid_argument for inconsistent sizes, positions that are not
// finite, and more bones than vertices.
Ssdr decompose(std::span<const V3> rest, std::span<const Triangle> triangles, std::span<const V3> frames,
               const SsdrOptions& options);

// Embeds the point of the cloth nearest to a point.
Embedding embed_nearest(std::span<const V3> vertices, std::span<const Triangle> triangles, V3 point);

}  // namespace billow::garment
