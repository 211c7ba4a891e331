// How well rope chains follow the bones that are embedded in the reference cloth.
#pragma once

#include <array>

#include "evaluate/rope_gap.h"
#include "ropes/simulate_ropes.h"

namespace billow::ropes {

struct Followed {
  evaluate::RopeGap gap;
  double velocity_energy = 0;  // sum of squares of the bones' velocities, as a multiple of the reference's
  // What a search makes small: the RMS distance in mm, more by kDead times |ln velocity_energy|. RMS alone is content with
  // chains that hardly move.
  double score = 0;
};
inline constexpr double kDead = 0.3;

// Some clips (numbers of frames.clips()), from a time in each of them on: `ropes` and `embedded` a row for each frame.
Followed follow(const Frames& frames, const Matrix& embedded, const Matrix& ropes,
                const std::vector<size_t>& clips, double from_seconds);

// Clips by what they are for: learning is split once more, by whole clips, because frames beside each other are too
// much alike to choose by.
struct ClipParts {
  std::vector<size_t> train, validation, unseen;
};
ClipParts clip_parts(const Frames& frames);

struct Report {
  Followed train, validation, unseen;  // unseen: with the chaos floor, from 1.5 s on as that is
  Followed corrected;                  // the same as unseen, with the correction of ropes/correct_ropes.h
  Cost cost;
};
Report measure_ropes(const Frames& frames, const billow_settings& settings, size_t threads = 0);

}  // namespace billow::ropes
