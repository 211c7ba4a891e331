// How chains hang: distances between neighbouring chains, lengths of ropes, and angles between neighbouring panels, as
// distributions, which tell whether chains fold and spread as cloth does where places alone do not.
#pragma once

#include <vector>

#include "learn/frames.h"
#include "learn/model.h"

namespace billow::ropes {

struct Percentiles {
  double p5 = 0, median = 0, p95 = 0;
};
struct ChainShape {
  Percentiles lateral;  // distance to the bone of the same level on the next chain, relative to the pattern's
  Percentiles rope;     // distance between bones of a chain, relative to the pattern's
  Percentiles angle;    // rad between the normals of two panels of a level that share a rope
};

// Of `bones` (one row a frame of the data set) over some clips (indices into frames.clips()), each from `from_seconds` on.
ChainShape measure_shape(const learn::Frames& frames, const learn::Matrix& bones,
                         const std::vector<size_t>& clips, double from_seconds);

}  // namespace billow::ropes
