// Rope chains on the motions of a data set, as the data set itself has them: after the same lead-in, from the same start.
#pragma once

#include <billow/billow.h>

#include "garment/chain_cloth.h"
#include "learn/frames.h"
#include "learn/model.h"

namespace billow::ropes {

using learn::Frames;
using learn::Matrix;

struct Cost {
  double seconds = 0;  // of the chains' steps alone, on one core
  size_t frames = 0, substeps = 0;
  double microseconds() const { return frames > 0 ? 1e6 * seconds / static_cast<double>(frames) : 0; }
};

// Bones of one clip, a row a frame: displacements from rest as learn::Frames gives them. `cloth`: of the frames' garment.
Matrix simulate_clip(const Frames& frames, const garment::ChainCloth& cloth, const Frames::Run& clip,
                     const billow_settings& settings, Cost* cost = nullptr);

// All clips, clip after clip: what learn::bone_matrix gives for all frames. `threads`: 0 takes all cores; the result is
// the same for any number.
Matrix simulate_ropes(const Frames& frames, const billow_settings& settings, size_t threads = 0,
                      Cost* cost = nullptr);

}  // namespace billow::ropes
