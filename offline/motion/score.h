// What a motion asks of a body, before any joint is turned: when and where feet touch the ground, how they
// swing between, and curves for pelvis, trunk, gaze and arms. Motions of one after another write into the same
// score; where none has keys the curves blend. `perform` (motion/perform.h) makes poses of it.
//
// Metres, seconds, radians. Headings turn from +z towards +x.
#pragma once

#include <array>
#include <vector>

#include "motion/figure.h"
#include "motion/track.h"

namespace billow::motion {

enum Channel : size_t {
  kRootX,
  kRootZ,
  kHeight,   // of the pelvis above the ground
  kHeading,  // of the whole body
  kPelvisTurn,
  kPelvisTilt,  // forward
  kPelvisList,  // left side up
  kTrunkFlex,
  kTrunkLean,  // to the left
  kTrunkTurn,
  kGazeFlex,  // where the head points, seen from the heading
  kGazeLean,
  kGazeTurn,
  kArms,  // from here on the arms, the left and then the right
};
// Angles of an arm, from hanging down with the palm to the thigh: first out to the side, then forward about
// the shoulders' axis. Shares of the clavicle come by themselves.
enum ArmAngle : size_t { kForward, kOut, kArmTurn, kElbow, kWrist, kPalm, kArmAngles };
using ArmPose = std::array<double, kArmAngles>;
inline constexpr size_t kChannels = kArms + kSides * kArmAngles;
inline Channel arm_channel(size_t side, size_t angle) {
  return static_cast<Channel>(kArms + side * kArmAngles + angle);
}

struct Place {
  double x = 0, z = 0, heading = 0;
};
// A point seen from a place: `ahead` of it and to its left.
Place beside(const Place& place, double left, double ahead, double turn = 0);

inline constexpr double kForever = 1e9;

// One time that a foot is on the ground. The place is that of its ankle when the foot is flat.
struct Contact {
  double from, to;
  Place place;
  Track pitch;                        // heel up
  Track twist;                        // turns the foot on its toes, from the place's heading
  double twist_pitch = 10 * kDegree;  // of the heel when it turns

  // Where the foot would be flat, turned by its twist so far.
  Place turned(const Figure& figure, size_t side, double time) const;
};

// A leg in the air: where its ankle is seen from its hip, forward and out from straight down in the frame of the
// heading; how far its knee points out; how it is bent.
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
// What a leg passes through while its foot is in the air.
struct Via {
  double time;
  SwingAngle angle;
  double value;
};

struct Foot {
  std::vector<Contact> contacts;
  std::vector<Via> vias;  // in any order
};

// How a foot leaves the ground and comes down again.
struct StepStyle {
  double off_pitch = 35 * kDegree;  // heel up when the toes leave
  double roll = 0.18;               // seconds in which the heel comes up before
  double strike_pitch = 0;          // below 0: on the heel; above: on the ball
  double flat_after = 0.1;          // seconds
  double knee = 50 * kDegree;       // most bent in the swing; 0: as it comes
  double knee_share = 0.4;          // of the swing, when it is most bent
};

class Score {
 public:
  // Stands at the origin facing +z.
  Score(const Figure& figure, uint32_t seed);

  const Figure& figure;
  Random random;
  double now = 0;  // up to where the score is written
  std::array<Track, kChannels> channels;
  std::array<Foot, kSides> feet;
  ArmPose hanging;  // this person's arms at ease

  // Replaces keys that are too near for a body to pass through both.
  void key(Channel channel, double time, double value);
  double value(Channel channel, double time) const { return channels[channel].at(time); }
  double value(Channel channel) const { return value(channel, now); }
  // The same with what no living body is without: it never stands quite still, and never the same way twice.
  double lived(Channel channel, double time) const;
  // Keeps what the channels have come to by now, and forgets what they were to do later.
  void hold();

  // Keys of several channels.
  void move_root(double time, const Place& root);
  void shift_root(double time, const Place& root);  // without the heading
  void arm(size_t side, double time, const ArmPose& pose);
  void arms(double time, const ArmPose& both);
  void trunk(double time, double flex, double lean, double turn);
  void pelvis(double time, double turn, double tilt, double list);
  void gaze(double time, double flex, double lean, double turn);
  // Upright with hanging arms.
  void at_ease(double time);

  Place root() const { return root(now); }
  Place root(double time) const;
  // Where a foot is (or comes down last), with its twist.
  Place place(size_t side) const;
  // Where a foot stands when standing at a root.
  Place home(size_t side, const Place& root, double wider = 0) const;

  // Takes a foot from the ground at a time, and puts it down at another.
  void lift(size_t side, double time, const StepStyle& style = {});
  void plant(size_t side, double time, const Place& place, const StepStyle& style = {});
  void step(size_t side, double off, double down, const Place& place, const StepStyle& style = {});
  void via(size_t side, double time, SwingAngle angle, double value);
  // Raises or lowers the heel of a foot that is down.
  void heel(size_t side, double time, double pitch);
  // Turns a foot that is down on its toes; keys as for the heel.
  void twist(size_t side, double time, double angle);
  // Takes the twist so far for the foot's place, so that it can turn on another point.
  void fix_twist(size_t side);

 private:
  std::array<double, kChannels> phase_;  // of each channel's sway
};

}  // namespace billow::motion
