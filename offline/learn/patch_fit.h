// Training samples of patches, and the closed-form part of their training: PCA bases and linear paths.
#pragma once

#include "learn/frames.h"
#include "learn/patch_model.h"
#include "learn/ridge.h"

namespace billow::learn {

// Each frame is followed by its mirror image if the garment has a mirror.
struct PatchSamples {
  std::vector<uint32_t> frames;
  std::vector<uint8_t> mirrored;
  PatchInputs inputs;

  size_t size() const { return frames.size(); }
  void append(const PatchSamples& more);
};
PatchSamples patch_samples(const Frames& frames, const std::vector<uint32_t>& which, Source source,
                           const Mirror* mirror);
// The up direction in rest space, one row a frame.
Matrix up_directions(const Frames& frames, const std::vector<uint32_t>& which);

struct PatchFitOptions {
  PatchOptions patches;
  size_t components = 8;  // of a patch
  RidgeOptions ridge;
};

// Inputs and targets of one network, one row a sample.
struct PatchRows {
  Matrix features;
  Matrix truth;  // coefficients of the true cloth in the patch's basis
};

// Sums of squares over all vertices of the training samples, m2: total about the mean, and residual of the bases.
struct PcaFloor {
  double total = 0, residual = 0;
  double explained() const { return total > 0 ? 1 - residual / total : 1; }
};

// PCA basis of patch cloth, one frame a row. Throws std::invalid_argument where there are no rows.
PatchBasis fit_patch_basis(Eigen::Ref<const Matrix> cloth, size_t components);

// Fits bases and linear paths to the first `train_count` samples. `rows` gets one entry a network with all samples, in the
// frame of the network's first patch: a flipped patch has in a frame the inputs that the first has in the frame's mirror image.
PatchModel fit_patches(const Frames& frames, const PatchSamples& samples, size_t train_count,
                       const Mirror* mirror, const PatchFitOptions& options, std::vector<PatchRows>& rows,
                       PcaFloor* floor = nullptr);

}  // namespace billow::learn
