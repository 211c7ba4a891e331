// The bases of patches as whole numbers. A vertex is a sum over its patches, and what these do together is known from frames: so rounding
// in one patch is made up for in the others.
#pragma once

#include <span>

#include "learn/patch_model.h"
#include "pack/pack_matrix.h"
#include "pack/parts.h"
#include "pack/quantise_row.h"

namespace billow::pack {

class BasisRounding {
 public:
  // `matrices`: of the model. Without frames patches are as if they knew nothing of each other.
  BasisRounding(const learn::PatchModel& model, const Matrices& matrices, const learn::PatchInputs& frames);

  struct Rounded {
    learn::Matrix basis;
    double error = 0;  // mm squared, mean over vertices
  };
  // int8 or int16 for each column.
  Rounded round(std::span<const Kind> kinds) const;

 private:
  // Vertices of the same patches, and the rows that each has in these.
  struct Group {
    std::vector<std::vector<Eigen::Index>> rows;  // of each vertex, one a patch
    Square spread;                                // of all columns of all patches
  };
  double round(const Group& group, std::span<const Kind> kinds, learn::Matrix& basis) const;

  const learn::Matrix& basis_;
  double vertices_;
  std::vector<Group> groups_;
};

}  // namespace billow::pack
