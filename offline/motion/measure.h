// Quality measures of clips of the built-in person, and the human limits they are compared with.
#pragma once

#include <string>

#include "body/person.h"
#include "body/skeleton.h"
#include "motion/clip.h"

namespace billow::motion {

// A maximum, with the joint it belongs to and its time.
struct Peak {
  double value = 0;
  std::string where;
  double seconds = 0;
};

struct MotionMeasures {
  size_t frames = 0;
  double seconds = 0, distance = 0;        // s, m travelled over the ground
  double limit_margin = 0;                 // rad, smallest distance to a joint limit; negative: beyond
  std::string limit_angle;                 // the angle with that margin
  double limit_seconds = 0;                // its time
  Peak joint_speed, joint_acceleration;    // rad/s, rad/s2, relative to the parent joint
  Peak pelvis_speed, pelvis_acceleration;  // m/s, m/s2
  Peak hand_speed, hand_acceleration;
  Peak foot_speed, foot_acceleration;
  Peak slide;               // m per stance, of a sole on the ground; of the pivot while a foot twists
  Peak ground_penetration;  // m, of a sole
  Peak floating;            // m, height of the lower sole while the body is not in free fall
  Peak self_penetration;    // m, of a forearm, hand or leg into another part of the body
};

// Speeds and accelerations are frame differences; use clips of 120 frames per second or more.
MotionMeasures measure(const body::Person& person, const Clip& clip);

// Distance of a pose of the built-in person to the nearest joint limit. Radians; negative: beyond.
//
// Ranges are those of body/postures.h, except for three joints. Shoulders are measured from the hanging arm:
// 165 degrees up (180 with the clavicle), 60 back when hanging, 45 across, 90 about the arm (American Academy
// of Orthopaedic Surgeons, "Joint Motion", 1965). Wrists flex 70 and forearms rotate 80 degrees either way
// (ibid.). Weight-bearing ankles flex up to 30 degrees, where free ones stop at 20: 30 to 50 in healthy
// adults (Bennell et al., "Intra-rater and inter-rater reliability of a weight-bearing lunge measure of ankle
// dorsiflexion", 1998).
struct LimitMargin {
  double radians;
  std::string angle;  // "left_thigh flex"
};
LimitMargin limit_margin(const body::Skeleton& person, const body::Pose& pose);

// Upper bounds for the procedural motions at 120 frames per second.
//
// Joints: in fast running knees reach 15 to 20 rad/s (Novacheck, "The biomechanics of running", 1998), in a
// kick 25 to 30 (Lees et al., "The biomechanics of kicking in soccer", 2010). At strike the shin decelerates
// with 27 to 37 m/s2 in walking and up to 106 m/s2 in running (Lafortune, "Three-dimensional acceleration of
// the tibia during walking and running", 1991). Over a shin's length that is 250 rad/s2, over a foot's 1000,
// and frame differences at 120 Hz measure twice that in knees and ankles at strike. Feet swing forward at
// twice the running speed and reach it within a tenth of a second. A runner's pelvis is accelerated by two to
// three times gravity (Munro, Miller and Fuglevand, "Ground reaction forces in running: a reexamination",
// 1987), in landing from a jump by four. Hands reach 12 m/s in an arm swing, and 150 m/s2 half a metre from
// the axis of a body turning twice a second.
struct HumanLimits {
  double joint_speed = 28;           // rad/s
  double joint_acceleration = 2400;  // rad/s2
  double pelvis_speed = 7, pelvis_acceleration = 45;
  double hand_speed = 12, hand_acceleration = 165;
  double foot_speed = 14, foot_acceleration = 420;
};

}  // namespace billow::motion
