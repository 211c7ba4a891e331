// What patches are learnt from, and what of it has a closed form: their bases, and the linear half of their networks.
#pragma once

#include "learn/frames.h"
#include "learn/mirror.h"
#include "learn/patch_model.h"
#include "learn/ridge.h"

namespace billow::learn {

// Frames, each followed by the same seen in a mirror, if there is one.
struct PatchSamples {
  std::vector<uint32_t> frames;
  std::vector<uint8_t> mirrored;
  PatchInputs inputs;

  size_t size() const { return frames.size(); }
  void append(const PatchSamples& more);
};
PatchSamples patch_samples(const Frames& frames, const std::vector<uint32_t>& which, Source source,
                           const Mirror* mirror);
// Which way is up in the rest's space, a row a frame.
Matrix ups(const Frames& frames, const std::vector<uint32_t>& which);

struct PatchFitOptions {
  PatchOptions patches;
  size_t components = 8;  // of a patch
  RidgeOptions ridge;
};

// One network's side of all samples: a row each.
struct PatchRows {
  Matrix features;  // features
  Matrix truth;     // coefficients of the cloth in the patch's basis
};

// Squares over all vertices of the learnt samples, m2: how far the cloth is from its mean, and what the bases leave.
struct PatchFloor {
  double spread = 0, left = 0;
  double explained() const { return spread > 0 ? 1 - left / spread : 1; }
};

// Patches with bases and linear networks, from the first `learnt` samples. `rows` gets one entry a network, of all samples: as the
// first patch that has it sees them. What a flipped one sees of a frame is what the first sees of the frame's mirror image.
PatchModel fit_patches(const Frames& frames, const PatchSamples& samples, size_t learnt, const Mirror* mirror,
                       const PatchFitOptions& options, std::vector<PatchRows>& rows,
                       PatchFloor* floor = nullptr);

}  // namespace billow::learn
