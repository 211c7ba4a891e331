// Solves the legs of a motion plan. In stance, inverse kinematics to feet that roll without sliding; in
// swing, curves through the plan's via points. The pelvis is lowered where a leg would be too short, a heel
// raised where the ankle would flex too far.
#pragma once

#include <array>
#include <vector>

#include "motion/motion_plan.h"
#include "motion/track.h"

namespace billow::motion {

struct Frame {
  D3 position;
  Rotation rotation;
};

// The pelvis as planned, with sway.
Frame pelvis_of(const MotionPlan& plan, double time);
// Ankle position of a planted foot at a pitch.
D3 ankle_at(const Figure& figure, const GroundPose& foot, double pitch);

class Legs {
 public:
  // Valid for times from `from` to `to`. Keeps a reference to the plan.
  Legs(const MotionPlan& plan, double from, double to);

  Frame pelvis(double time) const;
  LegAngles angles(size_t side, double time) const;

 private:
  // A swing phase, from one contact to the next. The track of kLegKnee holds the distance from hip to ankle
  // instead of the angle, since it is smooth where the knee is straight.
  using SwingState = std::array<double, kSwingAngles>;
  struct Swing {
    double from, to;
    std::array<Track, kSwingAngles> tracks;
  };
  const Contact* contact_at(size_t side, double time) const;
  double pitch_in(size_t side, const Contact& contact, double time) const;
  FootPose foot_in(size_t side, const Contact& contact, double time, double pitch) const;
  LegAngles standing(size_t side, const Contact& contact, double time, double pitch) const;
  LegAngles standing(size_t side, const Contact& contact, double time) const {
    return standing(side, contact, time, pitch_in(side, contact, time));
  }
  void lower_pelvis(double from, size_t count);
  void raise_heels(double from, size_t count);
  double shortfall(double time) const;
  SwingState state_of(size_t side, double time, const LegAngles& angles) const;
  LegAngles angles_of(size_t side, double time, const SwingState& state) const;
  SwingState touchdown_state(size_t side, const Contact& contact, double before, D3 deceleration) const;
  void damp_lift_off(size_t side, Swing& swing) const;
  void approach_ground(size_t side, const Contact& before, const Contact& after, Swing& swing) const;
  void add_swing(size_t side, const Contact& before, const Contact& after);
  void clear_ground(size_t side, double time, double clearance, LegAngles& angles) const;

  const MotionPlan& plan_;
  SampledCurve pelvis_drop_;                     // m
  std::array<SampledCurve, kSides> heel_raise_;  // added to the pitch
  std::array<std::vector<Swing>, kSides> swings_;
};

}  // namespace billow::motion
