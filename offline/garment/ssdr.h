// Virtual bones from cloth in motion: rigid bones and few weights a vertex that together come nearest to all frames.
// After Le and Deng, "Smooth Skinning Decomposition with Rigid Bones" (SIGGRAPH Asia 2012).
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
  int rounds = 40;                          // at most, of weights and transforms in turn
  double enough = 0.002;                    // ends when a round makes the error less by a smaller share
  std::function<void(double)> report = {};  // is told the share that is done
};

struct Ssdr {
  std::vector<Embedding> places;  // on the cloth, near the middle of what each bone moves
  std::vector<std::array<uint32_t, kBonesPerVertex>> bones;  // of each vertex
  std::vector<std::array<float, kBonesPerVertex>> weights;   // not negative, they add up to 1
  std::vector<Transform>
      transforms;  // from rest to each frame: those of the first frame's bones, then the next's
  double rms = 0;  // m, over all vertices and frames
};

// `frames`: all vertices of the first frame, then of the next. Throws std::invalid_argument for sizes that do not go
// together, places that are not finite, and more bones than vertices.
Ssdr decompose(std::span<const V3> rest, std::span<const Triangle> triangles, std::span<const V3> frames,
               const SsdrOptions& options);

// The place of the cloth that is nearest to a point.
Embedding embed_nearest(std::span<const V3> vertices, std::span<const Triangle> triangles, V3 point);

}  // namespace billow::garment
