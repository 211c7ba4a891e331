// Quantises the networks of patches by GPTQ (pack/gptq.h), with the Hessian from calibration frames. Weights are int8, except
// for a few int16 columns, which are rounded last and absorb most of the error that int8 leaves.
#pragma once

#include <vector>

#include "learn/patch_fit.h"
#include "pack/pack_matrix.h"

namespace billow::pack {

// One weight matrix, stacked over all networks.
struct QuantisedMatrix {
  std::vector<Format> formats;    // int16 or int8 for each column
  std::vector<float> row_scales;  // network after network, each padded to a multiple of eight rows
  std::vector<float> column_scales;
};
struct QuantisedNetworks {
  std::vector<QuantisedMatrix> matrices;  // in the order of ModelMatrices::network
  double error = 0;  // mm squared, mean over vertices, on calibration frames that are not in the Hessian
  size_t bytes = 0;
};

// Quantises in place and reorders hidden units, so that int16 columns come first. Takes the fewest int16 columns that keep the
// error below `max_error` (mm squared), if possible. Without calibration frames inputs are random with the training mean and
// deviation, but uncorrelated.
QuantisedNetworks quantise_networks(learn::PatchModel& model, const learn::PatchInputs& calibration,
                                    double max_error);

// Calibration frames of a data set: on embedded bones, and on rope bones, the runtime's inputs.
learn::PatchInputs calibration_frames(const learn::Frames& frames);

}  // namespace billow::pack
