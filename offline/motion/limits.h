// What people can do: how far joints go, and how fast bodies move. Tests hold the built-in motions to it.
#pragma once

#include <string>

#include "body/skeleton.h"

namespace billow::motion {

// How far a pose of the built-in person is from the nearest end of a joint's range. Radians, below 0: beyond.
//
// Ranges are those of body/postures.h but for three joints. Shoulders are measured from the hanging arm: 165
// degrees up, which with the clavicle's share are 180, 60 back when hanging, 45 across, 90 about the arm (American
// Academy of Orthopaedic Surgeons, "Joint Motion", 1965); wrists bend 70 and forearms turn 80 either way (the
// same). Ankles that bear the body bend up
// to 30 degrees, where free ones stop at 20: 30 to 50 in healthy adults (Bennell et al., "Intra-rater and
// inter-rater reliability of a weight-bearing lunge measure of ankle dorsiflexion", 1998).
struct LimitMargin {
  double radians;
  std::string angle;  // "left_thigh flex"
};
LimitMargin limit_margin(const body::Skeleton& person, const body::Pose& pose);

// What the built-in motions stay below, at 120 frames a second.
//
// Joints: in fast running knees turn at 15 to 20 rad/s (Novacheck, "The biomechanics of running", 1998), in a
// kick at 25 to 30 (Lees et al., "The biomechanics of kicking in soccer", 2010). When a foot strikes the shin is
// stopped with 27 to 37 m/s2 in walking and up to 106 m/s2 in running (Lafortune, "Three-dimensional acceleration
// of the tibia during walking and running", 1991); over a shin's length these are 250 rad/s2, over a foot's 1000,
// and differences of frames at 120 Hz see knees and ankles that meet the ground at twice that. Feet swing forward
// at twice the running speed and gain it within a tenth of a second. A runner's pelvis feels two to three times
// gravity (Munro, Miller and Fuglevand, "Ground reaction forces in running: a reexamination", 1987), that of
// someone who lands from a jump four. Hands reach 12 m/s in an arm swing, and 150 m/s2 at half a metre from the
// axis of a body that turns twice a second.
struct HumanLimits {
  double joint_speed = 28;           // rad/s
  double joint_acceleration = 2400;  // rad/s2
  double pelvis_speed = 7, pelvis_acceleration = 45;
  double hand_speed = 12, hand_acceleration = 165;
  double foot_speed = 14, foot_acceleration = 420;
};

}  // namespace billow::motion
