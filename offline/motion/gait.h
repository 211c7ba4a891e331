// Walking and running: along a path with speeds, turns and stops, step by step.
#pragma once

#include <vector>

#include "motion/score.h"

namespace billow::motion {

// A stretch of the way.
struct Stretch {
  double seconds;
  double speed;             // m/s that it goes to
  double turn = 0;          // radians a second to the left, wanted
  double acceleration = 2;  // m/s2 at most, to come to the speed
};

// From standing along the stretches and back to standing.
void go(Score& score, const std::vector<Stretch>& stretches);

}  // namespace billow::motion
