// What is asked of cloth by patches as a surface, with x blended from the patches of a vertex: to be out of the body, as
// collision.h has it, and to have edges as long as they were cut.
//
//   collision * sum |x - target|^2 + length * sum (|a - b| - L)^2
//
// Lengths need no truth: they are asked for on rope chains, too, whose cloth nobody has simulated.
#pragma once

#include "learn/patch_fit.h"
#include "train/collision.h"
#include "train/edges.h"

namespace billow::train {

class PatchSurface {
 public:
  PatchSurface(const Scene& scene, const CollisionOptions& options, std::vector<Edge> edges,
               const learn::PatchModel& model, const learn::PatchSamples& samples);

  struct Asked {
    float collision = 0, length = 0;  // weights; 0: not looked at
    Push push = Push::kTruth;
  };
  struct Sum {
    double loss = 0;  // weighted
    size_t near = 0;  // vertices nearer to the body than the buffer
  };
  // `coefficients` and `gradient`: samples x networks x `width` numbers. Adds to the gradient. Of samples seen in a mirror, each behind the
  // frame it is of, flipped patches have their coefficients; they are no cloth of their own, as their bodies are not seen in it.
  Sum operator()(std::span<const uint32_t> which, Asked asked, const float* coefficients, int64_t width,
                 float* gradient);

 private:
  // A row each, x y z.
  using Directions = Eigen::Matrix<float, Eigen::Dynamic, 3, Eigen::RowMajor>;

  // Of one sample, a row a patch.
  Sum add(uint32_t sample, Asked asked, body::Surface& body, const Matrix& coefficients,
          Matrix& gradient) const;
  Directions places(std::span<const learn::PatchFrame> turned, const Matrix& coefficients) const;
  // Adds to the gradient with respect to the places.
  Sum add_collisions(uint32_t frame, Asked asked, const Directions& x, body::Surface& body,
                     Directions& force) const;

  const Scene& scene_;
  CollisionOptions options_;
  std::vector<Edge> edges_;
  const learn::PatchModel& model_;
  const learn::PatchSamples& samples_;
  std::vector<Matrix> bases_;  // of each patch, as learn::PatchModel::shared_basis() has it
  std::vector<body::Surface> bodies_;
};

}  // namespace billow::train
