// Standing on two feet or one: where the body is over them, and how it folds when it goes down.
#pragma once

#include "motion/score.h"

namespace billow::motion {

// Between the feet, facing their mean direction.
Place centre(const Score& score);
// From between the feet (0) to over one of them (1).
Place over(const Score& score, size_t side, double share);

// A body that has gone down by `depth` with its feet flat: how far its pelvis is back, and how far pelvis and
// trunk tip forward so that it does not fall over.
struct Fold {
  double back, tilt, flex;
};
Fold fold(const Figure& figure, double depth);
// Keys of it: root, height, pelvis and trunk, over the place between the feet.
void crouch(Score& score, double time, const Place& at, double depth, double share_of_trunk = 1);

// A heading that speeds up to a rate, keeps it, and comes to rest at `to`. Returns when.
double turn_heading(Track& heading, double start, double ramp, double rate, double from, double to);

ArmPose arm_pose(double forward, double out, double turn, double elbow, double wrist = 0, double palm = 0);

}  // namespace billow::motion
