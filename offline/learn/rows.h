// Frames a row, made when they are asked for: a data set is larger than memory, and what is learnt from it (cloth, or
// what is left of it after a network) need not be stored.
#pragma once

#include <functional>
#include <vector>

#include "learn/frames.h"
#include "learn/model.h"

namespace billow::learn {

struct Rows {
  size_t count = 0, values = 0;
  // Fills rows first, first + 1, ... as many as `out` has. Is called from several threads at once.
  std::function<void(size_t first, Eigen::Ref<Matrix> out)> fill;
};

// Displacements of the cloth in some frames. `frames` has to outlive it.
Rows cloth_rows(const Frames& frames, std::vector<uint32_t> which);
// What they are off from what a stage makes of the bones (a row each): what the next one has to learn. Keeps a copy of
// the stage's basis.
Rows residual_rows(const Frames& frames, std::vector<uint32_t> which, const Matrix& bones,
                   const Stage& stage);
Rows residual_rows(const Frames& frames, std::vector<uint32_t> which, Source source, const Stage& stage);

// The whole of it: for bones, which are few.
Matrix bone_matrix(const Frames& frames, const std::vector<uint32_t>& which, Source source);
// Coefficients of all rows in a basis. `threads`: 0 takes all cores.
Matrix coefficients(const Rows& rows, const Basis& basis, size_t threads = 0);

}  // namespace billow::learn
