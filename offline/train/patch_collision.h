// The collision loss of cloth by patches: as collision.h has it, with x blended from the patches of a vertex.
#pragma once

#include "learn/patch_fit.h"
#include "train/collision.h"

namespace billow::train {

class PatchCollision {
 public:
  PatchCollision(const Scene& scene, const CollisionOptions& options, const learn::PatchModel& model,
                 const learn::PatchSamples& samples);

  // `coefficients` and `gradient`: samples x patches x `width` numbers. Adds to the gradient. Samples seen in a mirror are
  // left out: their bodies are not.
  CollisionTerm::Sum operator()(std::span<const uint32_t> which, const float* coefficients, int64_t width,
                                float* gradient);

 private:
  CollisionTerm::Sum add(uint32_t sample, body::Surface& body, Eigen::Map<const Matrix> coefficients,
                         Eigen::Map<Matrix> gradient) const;

  struct Place {  // of a vertex
    uint32_t patch, vertex;
  };
  const Scene& scene_;
  CollisionOptions options_;
  const learn::PatchModel& model_;
  const learn::PatchSamples& samples_;
  std::vector<std::vector<Place>> places_;
  std::vector<body::Surface> bodies_;
};

}  // namespace billow::train
