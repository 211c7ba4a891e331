// Long motions out of short ones.
#pragma once

#include <span>

#include "motion/clip.h"

namespace billow::motion {

// Lengths of a joined motion, s.
inline constexpr double kJoinedStretch = 10;  // of motion between two stops, at least
inline constexpr double kJoinedStop = 6;      // of standing still

// Clips one after another, each moved to where the last one ends and cross-faded over half a second, again and again; after every
// stretch of motion the person stands still in the pose `standing`. The last ten seconds are the first ten once more, so that both
// ends of the motion can be compared. `seconds` is met to within a frame for each stop. Throws std::invalid_argument for no clips,
// clips of different rates, and less time than two stretches and a stop take.
Clip join(std::span<const Clip> clips, const Pose& standing, double seconds);

// The clip forwards and backwards until `seconds`. The person slows down and turns back within a second.
Clip there_and_back(const Clip& clip, double seconds);

}  // namespace billow::motion
