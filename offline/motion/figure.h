// Kinematic model of the built-in person for motions: leg lengths, inverse kinematics of the legs, and soles
// that roll over the ground without slipping.
//
// Side 0 is left, 1 is right. Metres, radians.
#pragma once

#include <array>
#include <vector>

#include "body/person.h"
#include "motion/rotation.h"
#include "motion/track.h"

namespace billow::motion {

inline constexpr size_t kSides = 2;
inline constexpr const char* kSideNames[kSides] = {"left_", "right_"};  // prefixes of joint names
inline double sign_of(size_t side) { return side == 0 ? 1.0 : -1.0; }

// Angles of a leg as in body/postures.h: three of the thigh, then knee, two of the ankle, toes.
enum LegAngle : size_t { kHip, kAbduct, kHipTurn, kKnee, kAnkle, kTilt, kToes, kLegAngles };
using LegAngles = std::array<double, kLegAngles>;

// Conversion between the three thigh angles and a rotation.
Rotation thigh_rotation(size_t side, const LegAngles& angles);
void set_thigh(size_t side, const Rotation& thigh, LegAngles& angles);

// A foot in the frame of the pelvis or in the world.
struct FootPose {
  D3 ankle;
  Rotation rotation;
};

// Contact geometry of the left foot, relative to its ankle.
struct Sole {
  struct Sphere {
    D3 centre;
    double radius;
  };
  std::array<Sphere, 2> spheres;  // heel and ball of the foot
  D3 toes, half;  // centre and half extents of an ellipsoid skinned half to the foot and half to the toes
  Rotation toes_rotation;
  D3 toe_joint;
  double blend;  // radius of the smooth union of ball and toes

  // Height of the lowest point relative to the ankle (negative). `on_toes` receives the weight of the toes in
  // it.
  double lowest(const Rotation& foot, double toes_flex, size_t side, double* on_toes = nullptr) const;
  // Lowest point of the toes at a pitch, relative to the ankle.
  D3 lowest_of_toes(double pitch, double toes_flex) const;
};

// Ankle position of a foot that rolls over heel, sole, ball and toes as it pitches, relative to the ankle of
// the flat foot. Positive pitch: heel up.
class FootRoll {
 public:
  explicit FootRoll(const Sole& sole);

  double height(double pitch) const { return height_.at(pitch); }    // of the ankle above the ground
  double forward(double pitch) const { return forward_.at(pitch); }  // of the ankle
  // Contact point of the toes, relative to the ankle of the flat left foot; y is 0.
  D3 contact(double pitch) const { return {aside_.at(pitch), 0, ahead_.at(pitch)}; }
  // Toe flexion that keeps the toes on the ground.
  static double toes(double pitch);

 private:
  Track height_, forward_, aside_, ahead_;
};

struct Figure {
  explicit Figure(const body::Person& person);

  body::Person person;
  std::array<D3, kSides> hip, thigh, shin;  // rest offsets: pelvis to hip, hip to knee, knee to ankle
  Sole sole;
  FootRoll roll;
  double leg;           // hip to ankle, at rest
  double size;          // scale of lengths: 1 for a person of 1.75 m
  double spread;        // extra distance between the feet for thick thighs
  double stance;        // half the distance between the feet in standing
  double stand_height;  // of the pelvis in standing

  // Distance from hip to ankle at a knee angle.
  double reach(size_t side, double knee) const;
  // Pelvis height for a knee angle, with the ankle at a height and `apart` from the hip horizontally.
  double pelvis_height(double knee, double apart, double ankle_height) const;
  // Two-bone IK: knee angle and thigh rotation that bring the ankle nearest to a point in the frame of the
  // pelvis, with the knee's axis as near to `axis` as possible.
  struct Aim {
    double knee;
    Rotation thigh;
  };
  Aim aim(size_t side, D3 ankle, D3 axis) const;
  // Inverse kinematics: leg angles for a foot given in the frame of the pelvis.
  LegAngles solve(size_t side, const FootPose& foot) const;
  // Forward kinematics.
  FootPose foot_of(size_t side, const LegAngles& angles) const;
};

}  // namespace billow::motion
