// A simple person of 16 capsules for scenes, which runs and kicks. (The full body model is in offline/body.)
#pragma once

#include <billow/billow.hpp>
#include <vector>

namespace billow::scenes {

// Joints of the person, hips at the origin, y up, facing +z.
enum Joint {
  kPelvis,
  kChest,
  kLeftThigh,
  kLeftCalf,
  kRightThigh,
  kRightCalf,
  kLeftArm,
  kLeftForearm,
  kRightArm,
  kRightForearm,
  kJointCount
};

std::vector<Collider> person_colliders();

// Joint angles in radians; forward is positive for thighs and arms.
struct Posture {
  float left_thigh = 0, left_knee = 0, right_thigh = 0, right_knee = 0;
  float left_arm = 0, right_arm = 0, elbow = 0;
  float lean = 0, twist = 0;
  float spread = 0;  // thighs outward
};

// World transforms of the joints for a pelvis at (x, y, z), rotated by `heading` about y.
std::vector<Transform> person_joints(const Posture& posture, float x, float y, float z, float heading);

Posture standing();  // hands up, out of a skirt's way
Posture running(double time, double steps_per_second);
Posture kicking(double time, double kicks_per_second);

}  // namespace billow::scenes
