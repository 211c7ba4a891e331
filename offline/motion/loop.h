// Clips that can go on for ever: the last frame is an earlier one again, somewhere else and turned about the vertical.
#pragma once

#include <cstddef>

#include "motion/clip.h"

namespace billow::motion {

// How a character's place on the ground and its heading change.
struct GroundMove {
  float x = 0, z = 0;
  float turn = 0;  // radians about y, before the shift

  Pose operator()(const Pose& pose) const;
};

// From where `from` stands and heads to where `to` does.
GroundMove ground_move(const Pose& from, const Pose& to);

struct Loop {
  Clip clip;         // ends with the frame that is frame `first` again
  size_t first = 0;  // where to go on after the last frame
};

// Looks for two moments that are alike, at least `least_seconds` apart and the earlier one not before `begin_seconds`, cuts the clip off at
// the later one, and lets it go over into what came before the earlier one. Throws std::invalid_argument for a clip too short for that.
Loop make_loop(const Clip& clip, double begin_seconds, double least_seconds);

}  // namespace billow::motion
