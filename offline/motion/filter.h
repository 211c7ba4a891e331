// Filters for motion capture: outliers, noise and jumps. Marker noise of a millimetre at 120 frames per
// second is an acceleration larger than gravity.
#pragma once

#include "core/vec.h"
#include "motion/clip.h"

namespace billow::motion {

// Replaces single-frame outliers of a joint by the average of the two neighbours. Clips below 60 frames per
// second are returned unchanged: there an outlier cannot be told from fast motion.
Clip without_outliers(const Clip& clip);

// Gaussian low-pass filter that halves the power at `hertz`; 0 disables it. Gait has no content above 6 Hz
// (Winter, "Biomechanics and Motor Control of Human Movement", 3.4).
Clip low_pass(const Clip& clip, float hertz);

// Jump filters. Fitting a skeleton to markers is sometimes ambiguous and flips between two solutions from one
// frame to the next: a knee on the other side of its leg, a reversed foot. After a jump the filter keeps the
// old solution by an offset, since most jumps revert soon, then fades it out (inertialization: Bollo, "High
// Performance Animation in Gears of War 4", 2017).

// The decay of an offset: constant for a while, then exponential.
class OffsetFade {
 public:
  void restart() { since_ = 0; }
  // Factor for a time step.
  float next(float seconds);

 private:
  float since_ = 0;
};

// Filters a rotation, frame by frame.
class RotationJumpFilter {
 public:
  Quat next(Quat rotation, float seconds);

 private:
  Quat last_{0, 0, 0, 0}, offset_{0, 0, 0, 1};  // last input, and the offset added to it
  OffsetFade fade_;
};

// Filters the position of a knee (or elbow), frame by frame: it may jump about the line from hip to ankle.
class KneeJumpFilter {
 public:
  // The filtered knee position.
  V3 next(V3 hip, V3 knee, V3 ankle, float seconds);

 private:
  V3 last_line_{0, 0, 0}, last_bend_{0, 0, 0};  // of the last frame; zero: none
  float offset_ = 0;                            // radians about the line
  OffsetFade fade_;
};

}  // namespace billow::motion
