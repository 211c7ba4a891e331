// The built-in person as motions need it: lengths of legs, soles that roll over the ground without slipping,
// and legs solved from where their feet are.
//
// Sides: 0 left, 1 right. Metres, radians.
#pragma once

#include <array>
#include <vector>

#include "body/person.h"
#include "motion/rotation.h"
#include "motion/track.h"

namespace billow::motion {

inline constexpr size_t kSides = 2;
inline constexpr const char* kSideNames[kSides] = {"left_", "right_"};  // that joints begin with
inline double sign_of(size_t side) { return side == 0 ? 1.0 : -1.0; }

// Angles of a leg as in body/postures.h: those of the thigh, the knee, the ankle and the toes.
enum LegAngle : size_t { kHip, kAbduct, kHipTurn, kKnee, kAnkle, kTilt, kToes, kLegAngles };
using LegAngles = std::array<double, kLegAngles>;

// The thigh's three.
Rotation thigh_rotation(size_t side, const LegAngles& angles);
void set_thigh(size_t side, const Rotation& thigh, LegAngles& angles);

// A foot in the frame its leg hangs in.
struct FootPose {
  D3 ankle;
  Rotation rotation;
};

// The parts of a foot that meet the ground, for the left one seen from its ankle.
struct Sole {
  struct Ball {
    D3 centre;
    double radius;
  };
  std::array<Ball, 2> balls;  // heel and ball of the foot
  D3 toes, half;              // an ellipsoid that turns half with the foot and half with the toes
  Rotation toes_rotation;
  D3 toe_joint;
  double blend;  // radius of the smooth union of ball and toes

  // How far the lowest point is above the ankle (below 0). Also the share of the toes in touching.
  double lowest(const Rotation& foot, double toes_flex, size_t side, double* on_toes = nullptr) const;
  // The lowest point of the toes when the heel is up by a pitch, seen from the ankle.
  D3 lowest_of_toes(double pitch, double toes_flex) const;
};

// A foot that rolls over heel, sole, ball and toes as it pitches: where its ankle is, seen from where it is on
// a flat foot. Pitch is positive when the heel is up.
class FootRoll {
 public:
  explicit FootRoll(const Sole& sole);

  double height(double pitch) const { return height_.at(pitch); }    // of the ankle above the ground
  double forward(double pitch) const { return forward_.at(pitch); }  // of the ankle
  // Where the toes touch the ground, seen from the ankle of the flat left foot: y is 0.
  D3 contact(double pitch) const { return {aside_.at(pitch), 0, ahead_.at(pitch)}; }
  // How far the toes bend up to stay on the ground.
  static double toes(double pitch);

 private:
  Track height_, forward_, aside_, ahead_;
};

struct Figure {
  explicit Figure(const body::Person& person);

  body::Person person;
  std::array<D3, kSides> hip, thigh, shin;  // from pelvis, hip and knee to the next joint, at rest
  Sole sole;
  FootRoll roll;
  double leg;           // from hip to ankle, at rest
  double size;          // 1 for legs of a person of 1.75 m: lengths scale with it
  double spread;        // how much farther apart feet are held because thighs are thick
  double stance;        // half the distance of the feet when standing
  double stand_height;  // of the pelvis when standing

  // The distance from hip to ankle at a knee's angle.
  double reach(size_t side, double knee) const;
  // The height of the pelvis that has its hip `apart` (horizontally) from an ankle at a height.
  double pelvis_height(double knee, double apart, double ankle_height) const;
  // Bends the knee and turns the thigh so that the ankle comes to a point of the pelvis' frame, as near as it
  // gets, with the knee's axis as near to `axis` as it gets.
  struct Aim {
    double knee;
    Rotation thigh;
  };
  Aim aim(size_t side, D3 ankle, D3 axis) const;
  // The angles that bring a foot, given in the frame of the pelvis, where it is.
  LegAngles solve(size_t side, const FootPose& foot) const;
  // The reverse.
  FootPose foot_of(size_t side, const LegAngles& angles) const;
};

}  // namespace billow::motion
