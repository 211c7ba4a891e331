// Recorded motions made calm: markers are seen a millimetre off, which at 120 frames a second is an acceleration
// of more than that of gravity.
#pragma once

#include "motion/clip.h"

namespace billow::motion {

// Replaces single frames of a joint that stand apart from both neighbours by the middle of these. Clips of fewer
// than 60 frames a second stay as they are: there a frame may well stand apart.
Clip without_outliers(const Clip& clip);

// Takes out what is faster than a frequency: a Gaussian that halves the power at `hertz`. 0 changes nothing. Gaits
// are below 6 Hz (Winter, "Biomechanics and Motor Control of Human Movement", 3.4).
Clip low_pass(const Clip& clip, float hertz);

}  // namespace billow::motion
