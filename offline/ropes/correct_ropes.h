// What is left between rope bones and embedded bones once the chains' settings are fitted, as far as it is a linear function of
// the rope bones themselves: chains hang too far in or out where the body turns one way, say. Learnt by ridge regression on
// training frames; the penalty is chosen by leaving out whole clips. The runtime adds it to its bones in each frame.
#pragma once

#include "learn/ridge.h"
#include "ropes/measure_ropes.h"

namespace billow::ropes {

// From rope bones (a row a frame of the data set) to what has to be added to them. Empty where clips that were left out are
// better off without.
learn::Layer fit_correction(const Frames& frames, const Matrix& embedded, const Matrix& ropes,
                            size_t threads = 0);

inline Matrix corrected(const learn::Layer& correction, const Matrix& ropes) {
  if (correction.weights.size() == 0) return ropes;
  return ropes + ((ropes * correction.weights.transpose()).rowwise() + correction.bias.transpose());
}

}  // namespace billow::ropes
