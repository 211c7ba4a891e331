// What is left between rope bones and embedded bones once the chains' settings are fitted, as far as it is a linear function of
// the rope bones themselves: chains hang too far in or out where the body turns one way, say. Learnt by ridge regression on
// training frames; the penalty is chosen by leaving out whole clips. A first look that needs no libtorch: garment files have a
// network for it (train/correction.h).
#pragma once

#include "learn/ridge.h"
#include "ropes/measure_ropes.h"

namespace billow::ropes {

// From rope bones (a row a frame of the data set) to what has to be added to them: a linear path alone. Empty where clips that
// were left out are better off without.
learn::Network fit_correction(const Frames& frames, const Matrix& embedded, const Matrix& ropes,
                              size_t threads = 0);

}  // namespace billow::ropes
