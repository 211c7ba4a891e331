// Pieces of moving cloth, as a stranger looks at them: 8 x 8 vertices of one region over three frames, in a frame of their own.
// Place and direction of a piece are removed; shape, stretch and motion remain.
#pragma once

#include <array>
#include <cstdint>
#include <random>
#include <span>
#include <vector>

#include "garment/garment.h"
#include "learn/model.h"

namespace billow::train {

using learn::Matrix;

// One row a piece.
struct Pieces {
  Matrix features;
  std::vector<uint8_t> shown;  // 1: the cloth that is tested, 0: the reference
  std::vector<uint32_t> clip;

  size_t size() const { return shown.size(); }
};

class PieceCutter {
 public:
  static constexpr size_t kSide = 8, kPoints = kSide * kSide;
  // Of each point, first what light shows: its normal in the frame before, in the middle one and in the frame after. Then what
  // a ruler shows: position, displacement since the frame before and to the frame after, distance from the mean of the four
  // points around it; strain to the next point of its row and of its column.
  static constexpr size_t kNormalChannels = 3 * 3, kChannels = kNormalChannels + 4 * 3 + 2,
                          kFeatures = kChannels * kPoints;  // point after point

  // Chooses `centres` vertices at random. Keeps no reference to the garment.
  PieceCutter(const garment::Garment& garment, size_t centres, uint64_t seed);

  // Appends `count` pieces of each cloth at random centres and times from frame `first` on, the same for both. A clip has the
  // vertices of each frame. Clips that are too short give nothing.
  using Clip = std::span<const std::vector<V3>>;
  void cut(Clip tested, Clip reference, uint32_t clip, size_t first, size_t count, std::mt19937_64& random,
           Pieces& to) const;

 private:
  struct Stencil {
    std::array<uint32_t, kPoints> vertices{};        // of a grid on the pattern, row by row
    std::array<float, kPoints> to_right{}, below{};  // m on the pattern to the next point; 0: there is none
  };
  Stencil stencil_at(const garment::Garment& garment, uint32_t centre) const;
  V3 normal_at(std::span<const V3> x, uint32_t vertex) const;
  void describe(Clip cloth, size_t frame, const Stencil& stencil, float* out) const;

  std::vector<Stencil> stencils_;
  std::vector<garment::Triangle> triangles_;
  std::vector<std::vector<uint32_t>> at_vertex_;  // triangles
  float spacing_ = 0;                             // m, mean edge
};

}  // namespace billow::train
