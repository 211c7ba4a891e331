// Figures that a clip of the built-in person is judged by.
#pragma once

#include <string>

#include "body/person.h"
#include "motion/clip.h"

namespace billow::motion {

// The largest of something, what it belongs to and when it was.
struct Most {
  double value = 0;
  std::string where;
  double seconds = 0;
};

struct MotionFigures {
  size_t frames = 0;
  double seconds = 0, distance = 0;        // m over the ground
  double limit_margin = 0;                 // rad to the end of the nearest joint's range, below 0: beyond
  std::string limit_angle;                 // which
  double limit_seconds = 0;                // when
  Most joint_speed, joint_acceleration;    // rad/s, rad/s2, of any joint against its parent
  Most pelvis_speed, pelvis_acceleration;  // m/s, m/s2
  Most hand_speed, hand_acceleration;
  Most foot_speed, foot_acceleration;
  Most slide;   // m in one stance, of a sole over the ground; of its pivot where a foot turns
  Most sink;    // m, of a sole below the ground
  Most afloat;  // m, of the lower sole above the ground while the body does not fall
  Most inside;  // m, of a forearm, hand or leg in another part of the body
};

// Speeds and accelerations are differences of frames: 120 a second or more say most.
MotionFigures measure(const body::Person& person, const Clip& clip);

}  // namespace billow::motion
