// Takes jumps out of recorded motions. Fitting a skeleton to markers has two solutions at times, and goes from
// one to the other between two frames: a knee is on the other side of its leg, a foot turns about. What was
// seen before goes on then, since most jumps come back soon, and fades into what comes (inertialization: Bollo,
// "High Performance Animation in Gears of War 4", 2017).
#pragma once

#include "core/vec.h"

namespace billow::motion {

// How much of an offset stays: all of it for a while, then less and less.
class Fade {
 public:
  void restart() { since_ = 0; }
  // The factor for a step of time.
  float next(float seconds);

 private:
  float since_ = 0;
};

// A turn, frame by frame.
class SteadyTurn {
 public:
  Quat next(Quat turn, float seconds);

 private:
  Quat last_{0, 0, 0, 0}, offset_{0, 0, 0, 1};  // as it came, and what is added
  Fade fade_;
};

// The knee of a leg (or the elbow of an arm), frame by frame: it may jump round the line from hip to ankle.
class SteadyKnee {
 public:
  // The knee's place.
  V3 next(V3 hip, V3 knee, V3 ankle, float seconds);

 private:
  V3 last_line_{0, 0, 0}, last_aside_{0, 0, 0};  // none yet
  float offset_ = 0;                             // radians round the line
  Fade fade_;
};

}  // namespace billow::motion
