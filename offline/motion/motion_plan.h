// A motion plan: foot contacts on the ground, via points of the swing phases, and keyframed channels for
// pelvis, trunk, gaze and arms. Consecutive motions append to one plan; channels interpolate across gaps
// between keys. solve_poses() turns a plan into poses by inverse kinematics.
//
// Metres, seconds, radians. A heading of 0 is +z and increases towards +x.
#pragma once

#include <array>
#include <vector>

#include "body/skeleton.h"
#include "motion/figure.h"
#include "motion/track.h"

namespace billow::motion {

enum Channel : size_t {
  kRootX,
  kRootZ,
  kHeight,   // of the pelvis above the ground
  kHeading,  // of the body
  kPelvisTurn,
  kPelvisTilt,  // forward
  kPelvisList,  // positive: left side up
  kTrunkFlex,
  kTrunkLean,  // to the left
  kTrunkTurn,
  kGazeFlex,  // head orientation relative to the heading
  kGazeLean,
  kGazeTurn,
  kArms,  // first arm channel: left arm, then right arm
};
// Angles of an arm relative to hanging down with the palm at the thigh: abduction is applied first, then
// flexion about the shoulder axis. The clavicle's part of the motion is derived from them.
enum ArmAngle : size_t { kForward, kOut, kArmTurn, kElbow, kWrist, kPalm, kArmAngles };
using ArmPose = std::array<double, kArmAngles>;
inline constexpr size_t kChannels = kArms + kSides * kArmAngles;
inline Channel arm_channel(size_t side, size_t angle) {
  return static_cast<Channel>(kArms + side * kArmAngles + angle);
}

// Position and heading on the ground.
struct GroundPose {
  double x = 0, z = 0, heading = 0;
};
// A pose given in the frame of another: `left` and `ahead` in metres, rotated by `turn`.
GroundPose offset_pose(const GroundPose& pose, double left, double ahead, double turn = 0);

inline constexpr double kForever = 1e9;

// One stance phase of a foot. `pose` is that of the ankle while the foot is flat.
struct Contact {
  double from, to;
  GroundPose pose;
  Track pitch;                        // positive: heel up
  Track twist;                        // rotation about the toe contact, relative to the heading of `pose`
  double twist_pitch = 10 * kDegree;  // pitch that defines the pivot of the twist

  // The pose of the flat foot after the twist so far.
  GroundPose twisted(const Figure& figure, size_t side, double time) const;
};

// Degrees of freedom of a swinging leg: direction from hip to ankle (forward and outward from straight down,
// in the frame of the heading), rotation of the knee outwards, and the angles of knee, ankle and toes.
enum SwingAngle : size_t {
  kLegForward,
  kLegOut,
  kLegTurn,
  kLegKnee,
  kLegAnkle,  // toes up
  kLegTilt,
  kLegToes,
  kSwingAngles
};
// A via point of a swing phase: one angle at one time.
struct Via {
  double time;
  SwingAngle angle;
  double value;
};

struct Foot {
  std::vector<Contact> contacts;
  std::vector<Via> vias;  // in any order
};

// Parameters of lift-off, swing and strike of a step.
struct StepStyle {
  double off_pitch = 35 * kDegree;  // pitch at toe-off
  double roll = 0.18;               // seconds of heel rise before toe-off
  double strike_pitch = 0;          // negative: heel strike; positive: forefoot strike
  double flat_after = 0.1;          // seconds from strike to flat foot
  double knee = 50 * kDegree;       // peak knee flexion in the swing; 0: no via point
  double knee_share = 0.4;          // fraction of the swing at which the peak occurs
};

class MotionPlan {
 public:
  // Starts standing at the origin, facing +z.
  MotionPlan(const Figure& figure, uint32_t seed);

  const Figure& figure;
  Random random;
  double now = 0;  // end of what has been planned so far
  std::array<Track, kChannels> channels;
  std::array<Foot, kSides> feet;
  ArmPose hanging;  // this person's relaxed arms

  // Adds a key. It replaces keys that are too close in time for a body to pass through both.
  void key(Channel channel, double time, double value);
  double value(Channel channel, double time) const { return channels[channel].at(time); }
  double value(Channel channel) const { return value(channel, now); }
  // The value plus postural sway, a small aperiodic oscillation.
  double value_with_sway(Channel channel, double time) const;
  // Removes the keys after `now` and keys the current values there.
  void hold();

  // Key several channels at once.
  void move_root(double time, const GroundPose& root);
  void shift_root(double time, const GroundPose& root);  // without the heading
  void arm(size_t side, double time, const ArmPose& pose);
  void arms(double time, const ArmPose& both);
  void trunk(double time, double flex, double lean, double turn);
  void pelvis(double time, double turn, double tilt, double list);
  void gaze(double time, double flex, double lean, double turn);
  // Keys an upright trunk and hanging arms.
  void relax(double time);

  GroundPose root() const { return root(now); }
  GroundPose root(double time) const;
  // The pose of a foot in its last contact, twist included.
  GroundPose foot_pose(size_t side) const;
  // The pose of a foot when standing with the root at `root`.
  GroundPose stance_pose(size_t side, const GroundPose& root, double extra_width = 0) const;

  // End the current contact of a foot, start a new one, or both with a swing phase between.
  void lift(size_t side, double time, const StepStyle& style = {});
  void plant(size_t side, double time, const GroundPose& pose, const StepStyle& style = {});
  void step(size_t side, double off, double down, const GroundPose& pose, const StepStyle& style = {});
  void via(size_t side, double time, SwingAngle angle, double value);
  // Keys the pitch of a foot in contact.
  void heel(size_t side, double time, double pitch);
  // Keys the twist of a foot in contact.
  void twist(size_t side, double time, double angle);
  // Starts a new contact with the twist so far in its pose, so that the next twist has a new pivot.
  void fix_twist(size_t side);

 private:
  std::array<double, kChannels> phase_;  // of the sway of each channel
};

// Solves a plan for `frames` poses from time `from` on: feet stay planted, legs reach them, the head keeps
// its gaze, arms stay clear of the body. The motion does not depend on the frame rate.
std::vector<body::Pose> solve_poses(const MotionPlan& plan, double from, size_t frames,
                                    double frames_per_second);

}  // namespace billow::motion
