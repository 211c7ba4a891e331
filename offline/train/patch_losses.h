// Losses of the patch model beyond the squared error of its coefficients.
//
// Edge errors in the data term: neighbours with different errors are visible as stretch, a common offset is not. With
// d = c - c* of one coordinate, a Cholesky factor L turns both into one product:
//
//   |d|^2 + weight * sum over edges |d_a - d_b|^2  =  |d L|^2
//
// Surface losses on blended vertices x, as in vertex_losses.h:
//
//   collision * sum |x - target|^2 + length * sum (|a - b| - L)^2 + restored * sum |x - restored x|^2
//
// The last two need no ground truth, so they apply to rope bones, for which no cloth was simulated.
#pragma once

#include <array>
#include <memory>

#include "learn/patch_fit.h"
#include "train/restored.h"
#include "train/vertex_losses.h"

namespace billow::train {

// The factor L of each network's patches, components x components. Edges are weighted by the geometric mean of the shares of
// their two vertices.
std::vector<learn::Matrix> edge_factors(const learn::PatchModel& model,
                                        const std::vector<std::array<uint32_t, 3>>& triangles, double weight);

class PatchSurfaceLoss {
 public:
  // `restored`: the garment, if its lengths are to be restored.
  PatchSurfaceLoss(const Scene& scene, const CollisionOptions& options, std::vector<Edge> edges,
                   const learn::PatchModel& model, const learn::PatchSamples& samples,
                   const garment::Garment* restored = nullptr);

  struct Terms {
    float collision = 0, length = 0, restored = 0;  // weights; 0 disables the term
    Push push = Push::kTruth;
  };
  struct Sum {
    double loss = 0;  // weighted
    size_t near = 0;  // vertices nearer to the body than the buffer
  };
  // `coefficients` and `gradient`: samples x networks x `width` values. Adds to the gradient. Each mirrored sample follows the
  // frame it is of; it provides the coefficients of that frame's flipped patches and is not decoded itself.
  Sum operator()(std::span<const uint32_t> which, Terms terms, const float* coefficients, int64_t width,
                 float* gradient);

 private:
  // x y z, one row each.
  using Directions = Eigen::Matrix<float, Eigen::Dynamic, 3, Eigen::RowMajor>;

  // Loss of one sample. Matrices have one row a patch.
  Sum add(uint32_t sample, Terms terms, size_t thread, const Matrix& coefficients, Matrix& gradient);
  Directions positions(std::span<const learn::PatchFrame> frames, const Matrix& coefficients) const;
  // Adds to the gradient with respect to the vertex positions.
  Sum add_collisions(uint32_t frame, Terms terms, const Directions& x, body::Surface& body,
                     Directions& gradient) const;
  double add_restored_loss(float weight, size_t thread, const Directions& x, Directions& gradient);

  const Scene& scene_;
  CollisionOptions options_;
  std::vector<Edge> edges_;
  const learn::PatchModel& model_;
  const learn::PatchSamples& samples_;
  std::vector<Matrix> bases_;          // learn::PatchModel::weighted_basis() of each patch
  std::vector<body::Surface> bodies_;  // one a thread
  std::unique_ptr<RestoredCloth> restored_;
};

}  // namespace billow::train
