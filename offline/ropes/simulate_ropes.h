// Simulates rope chains on the motions of a data set with the same lead-in and initial state as the data set's own.
#pragma once

#include <billow/billow.h>

#include "garment/garment.h"
#include "learn/frames.h"
#include "learn/model.h"

namespace billow::ropes {

using learn::Frames;
using learn::Matrix;

// How chains move: their settings, and the force that they learnt; no layers: none.
struct ChainDynamics {
  ChainDynamics(const billow_settings& of, learn::Network learnt = {})
      : settings(of), force(std::move(learnt)) {}
  billow_settings settings;
  learn::Network force;
};

struct Cost {
  double seconds = 0;  // of the chains' steps only, on one core
  size_t frames = 0, substeps = 0;
  double microseconds() const { return frames > 0 ? 1e6 * seconds / static_cast<double>(frames) : 0; }
};

// Bones of one clip, one row a frame: displacements from rest as learn::Frames returns them. `cloth`: of the frames' garment.
Matrix simulate_clip(const Frames& frames, const garment::ChainCloth& cloth, const Frames::ClipRange& clip,
                     const ChainDynamics& dynamics, Cost* cost = nullptr);

// Bones of all clips, in the layout of learn::bone_matrix for all frames. `threads`: 0 takes all cores; the result does not
// depend on the number.
Matrix simulate_ropes(const Frames& frames, const ChainDynamics& dynamics, size_t threads = 0,
                      Cost* cost = nullptr);

}  // namespace billow::ropes
