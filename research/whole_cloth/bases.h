// What the paper's whole-cloth form needs of its two bases: the cloth that the second one is of, and the span of both.
#pragma once

#include "learn/frames.h"

namespace billow::research {

// Residual of a stage: the displacements minus its prediction from `bones` (one row a frame). It is what the next stage
// learns. Copies the stage's basis.
learn::Rows residual_rows(const learn::Frames& frames, std::vector<uint32_t> which,
                          const learn::Matrix& bones, const learn::Stage& stage);

// An orthonormal basis of the span of both, about the sum of their means.
learn::Basis joined(const learn::Basis& a, const learn::Basis& b);

}  // namespace billow::research
