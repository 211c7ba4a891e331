// The networks of patches as whole numbers. A number that is rounded is made up for by those that are rounded after it: what
// bones do together is known from frames, so the sum over all of them can stay nearly what it was. Few columns of 16 bits, the
// last to be rounded, then take up what 8 bits in all the others leave.
#pragma once

#include <vector>

#include "learn/patch_fit.h"
#include "pack/pack_matrix.h"

namespace billow::pack {

// A matrix of the networks, of all patches together.
struct RoundedMatrix {
  std::vector<Kind> kinds;        // one a column: int16 or int8
  std::vector<float> row_scales;  // patch after patch, each in eights
  std::vector<float> column_scales;
};
struct RoundedNetworks {
  std::vector<RoundedMatrix> matrices;  // in the order of Matrices
  double error = 0;                     // mm squared, mean over vertices, in frames that were not rounded by
  size_t bytes = 0;
};

// Rounds them in place, and puts units of layers in another order: those with columns of 16 bits first. As many of these as it
// takes to stay under `most_error` (mm squared), if that is possible. Without frames inputs are spread as in training, but as if bones
// knew nothing of each other.
RoundedNetworks quantise_networks(learn::PatchModel& model, const learn::PatchInputs& frames,
                                  double most_error);

// Frames of a data set for this: bones as embedded in the cloth, and as rope chains have them, which is what the runtime sees.
learn::PatchInputs frames_to_round_by(const learn::Frames& frames);

}  // namespace billow::pack
