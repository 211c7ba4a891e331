// What walking and running look like at a speed, in figures from gait laboratories.
#pragma once

namespace billow::motion {

struct GaitFigures {
  double frequency;     // steps a second
  double contact;       // seconds a foot is down
  double ahead;         // share of the contact before the hip passes the foot
  double strike_pitch;  // of the foot, below 0: heel first
  double pattern_uvs;   // share of the contact at which the sole is down
  double heel_off;      // share at which the heel leaves
  double off_pitch;     // when the toes leave
  // Knees when the foot strikes, once it bears the body, at mid stance, when the other foot strikes (walking)
  // and when the toes leave.
  double strike_knee, load_knee, mid_knee, late_knee, off_knee;
  double knee, knee_share;               // most bent in the swing, and when
  double leg_back, leg_front;            // the leg's direction then, and at 0.72 of the swing
  double off_ankle;                      // most pointed after the toes have left
  double width;                          // between the feet
  double sway;                           // of the pelvis to either side
  double pelvis_turn, trunk_turn, list;  // amplitudes
  double lean;                           // of the trunk, forward
  double arm_forward, arm_back, elbow, elbow_swing, arm_turn, arm_out;
};

// `size` is 1 for legs of a person of 1.75 m: smaller people take shorter and quicker steps (equal Froude
// numbers).
GaitFigures gait_at(double speed, double size);

}  // namespace billow::motion
