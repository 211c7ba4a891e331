// Motions on the spot. Each appends to a plan from its `now` on, and starts and ends with both feet on the
// ground.
#pragma once

#include "motion/motion_plan.h"

namespace billow::motion {

// Standing: sway, breathing, weight shifts, looking around.
void stand(MotionPlan& plan, double seconds);

// Squat with random depth and arms, sometimes as if picking something up.
void squat(MotionPlan& plan);
// Random bend forward, sideways or back, or trunk rotations.
void bend(MotionPlan& plan);

struct Jump {
  double height = 0.25;  // m, rise of the pelvis in flight
  double forward = 0;    // m
  double turn = 0;       // radians
  double tuck = 0;       // 0 to 1: knees drawn up in flight
  double star = 0;       // 0 to 1: legs and arms spread
};
void jump(MotionPlan& plan, const Jump& options);
Jump random_jump(Random& random);

// Turning on the spot by steps.
void spin(MotionPlan& plan, double turns, double turns_per_second);
// Turning on one foot with the other leg drawn up.
struct Pirouette {
  size_t side = 0;   // supporting foot
  double turns = 2;  // positive: to the left
  double turns_per_second = 1.5;
};
void pirouette(MotionPlan& plan, const Pirouette& options);

// Random dance moves to a beat: steps, kicks, lunges, hip turns, pirouettes and jumps.
void dance(MotionPlan& plan, double seconds);

// Helpers for writing moves.

// Midpoint of the feet, with their mean heading.
GroundPose feet_centre(const MotionPlan& plan);
// Interpolates from the midpoint of the feet (0) to one foot (1).
GroundPose over_foot(const MotionPlan& plan, size_t side, double share);

// Balanced crouch: for a pelvis lowered by `depth` over flat feet, its backward offset and the forward tilt
// of pelvis and trunk.
struct Fold {
  double back, tilt, flex;
};
Fold fold(const Figure& figure, double depth);
// Keys root, height, pelvis and trunk of a crouch.
void crouch(MotionPlan& plan, double time, const GroundPose& at, double depth, double share_of_trunk = 1);

// Keys a heading that accelerates to a rate, keeps it and comes to rest at `to`. Returns the end time.
double turn_heading(Track& heading, double start, double ramp, double rate, double from, double to);

// Angles in degrees.
ArmPose arm_pose(double forward, double out, double turn, double elbow, double wrist = 0, double palm = 0);

}  // namespace billow::motion
