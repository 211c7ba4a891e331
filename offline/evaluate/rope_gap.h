// The gap between bones of another source, such as rope chains, and bones embedded in the reference cloth.
// Networks are trained on the latter and used on the former.
#pragma once

#include <string>

#include "learn/frames.h"

namespace billow::evaluate {

using learn::Frames;
using learn::Matrix;

// Bones of a data set: one row of displacements from rest per frame, as in learn::Frames.
struct BoneSource {
  std::string name;
  Matrix bones;
};
BoneSource embedded_bones(const Frames& frames);
BoneSource rope_bones(const Frames& frames);

inline constexpr double kSettled = 1.5;  // s: the chaos floor is measured from this time of a clip on

// In mm, RMS over bones and frames unless noted. Let d(f, b) be the difference in frame f at bone b, in the
// frame of the key joint. It is the sum of three orthogonal parts, whose squares add up to those of d:
//   bias            the mean of d over the frames: a constant offset
//   swing           of the remainder, the mean over all chains at the same level: their common motion
//   chain to chain  the rest: differences between chains
// Bones outside chains have no swing.
struct RopeGap {
  size_t frames = 0;
  double rms_mm = 0, mean_mm = 0, tips_mm = 0;  // mean of the distance; RMS of the last bones of chains only
  double bias_mm = 0, swing_mm = 0, chain_to_chain_mm = 0;
  double chaos_floor_mm = 0;  // difference of the reference to itself in slightly denser air
  double ratio = 0;           // of RMS to chaos floor; 0 if there is no floor
};

// The gap on unseen clips from kSettled on, or on all their frames if they are shorter.
RopeGap rope_gap(const Frames& frames, const BoneSource& embedded, const BoneSource& source);

// The split of given differences: one row per frame, three floats per bone.
RopeGap split_gap(const garment::Garment& garment, const Matrix& differences);

}  // namespace billow::evaluate
