// Quantises the bases of patches by GPTQ (pack/gptq.h). A vertex is a sum over its patches, so all their columns are one row: the
// rounding error in one patch is compensated in the others.
#pragma once

#include <span>

#include "learn/patch_model.h"
#include "pack/gptq.h"
#include "pack/model_matrices.h"
#include "pack/pack_matrix.h"

namespace billow::pack {

class BasisQuantiser {
 public:
  // `matrices`: of the model. `calibration`: frames for the Hessian; without frames it is diagonal.
  BasisQuantiser(const learn::PatchModel& model, const ModelMatrices& matrices,
                 const learn::PatchInputs& calibration);

  struct Quantised {
    learn::Matrix basis;
    double error = 0;  // mm squared, mean over vertices
  };
  // `formats`: int8 or int16 for each column.
  Quantised quantise(std::span<const Format> formats) const;

 private:
  // Vertices with the same set of patches, which share a Hessian.
  struct Group {
    std::vector<std::vector<Eigen::Index>> rows;  // rows of the stored basis for each vertex, one a patch
    SquareMatrix hessian;                         // all columns of all patches
  };
  double quantise(const Group& group, std::span<const Format> formats, learn::Matrix& basis) const;

  const learn::Matrix& basis_;
  double vertices_;
  std::vector<Group> groups_;
};

}  // namespace billow::pack
