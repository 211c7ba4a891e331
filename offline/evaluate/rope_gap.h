// How far bones of another source (rope chains, say) are from those embedded in the reference cloth: the gap that
// networks trained on the one and used on the other have to bridge.
#pragma once

#include "evaluate/predictor.h"

namespace billow::evaluate {

inline constexpr double kSettled = 1.5;  // s into a clip, from which on the chaos floor is measured

// All in mm, RMS over bones and frames unless said otherwise. With d(f, b) the difference in frame f at bone b, key
// joint's motion taken out, d is the sum of three parts whose squares add up to those of d:
//   bias     the mean of d over the frames: what hangs in another place all the time
//   swing    of the rest, the mean over all chains at the same place along them: they swing differently, as one
//   between  what is then left: chains differ from each other
// Bones in no chain have bias and between only.
struct RopeGap {
  size_t frames = 0;
  double rms_mm = 0, mean_mm = 0, tips_mm = 0;  // mean: of the distance; tips: of last bones only
  double bias_mm = 0, swing_mm = 0, chain_to_chain_mm = 0;
  double chaos_floor_mm =
      0;             // what bones of the reference are off from themselves, in air that is a little denser
  double ratio = 0;  // rms to chaos floor; 0 without one
};

// On unseen clips, from the time on from which the chaos floor is measured; all frames of these clips where they are not
// longer than that. `embedded`: the bones that are compared with.
RopeGap rope_gap(const Frames& frames, const BoneSource& embedded, const BoneSource& source);

// The split alone: differences a row for each frame, three numbers a bone.
RopeGap split_gap(const garment::Garment& garment, const Matrix& differences);

}  // namespace billow::evaluate
