// Gait parameters by speed, from the literature, and the path that a gait follows.
#pragma once

#include <vector>

#include "motion/gait.h"
#include "motion/track.h"

namespace billow::motion {

struct GaitParameters {
  double frequency;     // steps per second
  double contact;       // s, duration of a stance phase
  double ahead;         // fraction of the stance before the hip passes the foot
  double strike_pitch;  // foot pitch at strike; negative: heel first
  double flat_foot;     // fraction of the stance at which the foot is flat
  double heel_off;      // fraction at which the heel lifts
  double off_pitch;     // foot pitch at toe-off
  // Knee angles at strike, at loading, at mid-stance, at the strike of the other foot (walking) and at
  // toe-off.
  double strike_knee, load_knee, mid_knee, late_knee, off_knee;
  double knee, knee_share;     // peak knee flexion in the swing, and the fraction at which it occurs
  double leg_back, leg_front;  // leg direction at that time, and at 0.72 of the swing
  double off_ankle;            // peak plantar flexion after toe-off
  double width;                // m, step width
  double sway;                 // m, lateral amplitude of the pelvis
  double pelvis_turn, trunk_turn, list;  // amplitudes
  double lean;                           // forward lean of the trunk
  double arm_forward, arm_back, elbow, elbow_swing, arm_turn, arm_out;
};

// `size` is 1 for a person of 1.75 m. Smaller people take shorter and quicker steps (equal Froude numbers).
GaitParameters gait_at(double speed, double size);

// Position and speed of the body over the ground along segments.
class GaitPath {
 public:
  // Starts standing at `start` at time `from` and ends standing.
  GaitPath(const GroundPose& start, double from, const std::vector<PathSegment>& segments);

  double end() const { return end_; }
  double speed(double time) const { return speed_.at(time); }
  double acceleration(double time) const { return speed_.slope(time); }
  double turn(double time) const { return speed_.at(time) > 0.05 ? turn_.at(time) : 0; }  // rad/s
  GroundPose at(double time) const { return {x_.at(time), z_.at(time), heading_.at(time)}; }

 private:
  void integrate(const GroundPose& start, double from);

  Track speed_, turn_;
  SampledCurve x_, z_, heading_;
  double end_ = 0;
};

}  // namespace billow::motion
