// What is left between rope bones and embedded bones once the chains' settings are fitted, as far as it is a linear function of
// the rope bones themselves: chains hang too far in or out where the body turns one way, say. Learnt by ridge regression on
// training clips; the penalty is chosen by leaving out whole clips.
#pragma once

#include "learn/ridge.h"
#include "ropes/measure_ropes.h"

namespace billow::ropes {

// From rope bones (a row a frame of the data set) to what has to be added to them.
learn::Network fit_correction(const Frames& frames, const Matrix& embedded, const Matrix& ropes,
                              size_t threads = 0);

inline Matrix corrected(const learn::Network& correction, const Matrix& ropes) {
  return ropes + correction(ropes);
}

// The network that makes of rope bones what `network` makes of corrected ones: a linear map in front of a network is part of
// its first layer and of its linear path.
learn::Network with_correction(learn::Network network, const learn::Network& correction);

}  // namespace billow::ropes
