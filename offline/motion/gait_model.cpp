#include "motion/gait_model.h"

#include <algorithm>

#include "motion/rotation.h"

namespace billow::motion {
namespace {

// Walking: step length grows as speed to the power 0.42 (Grieve 1968; Kuo 2001), 0.75 m at 1.4 m/s; stance
// takes 62 % of a stride at 1.4 m/s, more when slower; strike with the toes 20 degrees up, flat foot at 12 %
// of stance, heel-off at half of it, toe-off with the heel 60 degrees up, knee 60-65 degrees in early swing;
// the pelvis rotates 4-5 and lists 4 degrees; arms swing from 15 back to 15 forward (Perry, "Gait Analysis",
// 1992; Winter, "Biomechanics and Motor Control of Human Movement"; Murray 1967 for the arms).
GaitParameters walking(double v) {
  GaitParameters g{};
  const double quick = std::clamp((v - 0.8) / 1.0, 0.0, 1.0);
  const double step = 0.75 * std::pow(std::max(v, 0.3) / 1.4, 0.42);
  g.frequency = std::max(1.4, v / step);
  const double duty = mix(0.655, 0.59, quick);
  g.contact = 2 * duty / g.frequency;
  g.ahead = 0.38;
  const double stride = std::clamp(v / 1.2, 0.25, 1.0);
  g.strike_pitch = -mix(14, 22, quick) * stride * kDegree;
  g.flat_foot = 0.17;
  g.heel_off = mix(0.42, 0.36, quick);
  g.off_pitch = mix(48, 62, quick) * mix(0.7, 1, stride) * kDegree;
  g.strike_knee = mix(6, 8, quick) * kDegree;
  g.load_knee = mix(12, 21, quick) * stride * kDegree;
  g.mid_knee = mix(9, 13, quick) * kDegree;
  g.late_knee = mix(5, 6, quick) * kDegree;
  g.off_knee = 38 * kDegree;
  g.off_ankle = -18 * kDegree;
  g.leg_back = -mix(17, 23, quick) * stride * kDegree;
  g.leg_front = mix(10, 17, quick) * stride * kDegree;
  g.knee = mix(56, 66, quick) * kDegree;
  g.knee_share = 0.33;
  g.width = 0.12;
  g.sway = mix(0.030, 0.018, quick);
  g.pelvis_turn = mix(2.5, 6, quick) * stride * kDegree;
  g.trunk_turn = mix(3, 6, quick) * stride * kDegree;
  g.list = mix(3, 4.5, quick) * stride * kDegree;
  g.lean = mix(1, 4, quick) * kDegree;
  g.arm_forward = mix(10, 24, quick) * stride * kDegree;
  g.arm_back = mix(10, 22, quick) * stride * kDegree;
  g.elbow = mix(16, 28, quick) * kDegree;
  g.elbow_swing = mix(5, 14, quick) * kDegree;
  g.arm_turn = 14 * kDegree;
  g.arm_out = 8 * kDegree;
  return g;
}

// Running: 2.6 steps per second at 2 m/s and 3.4 at 6 m/s, contact times of 0.35 and 0.16 s, so flights of up
// to 0.14 s (Weyand et al. 2000; Dorn, Schache and Pandy 2012); knee 90 to 120 degrees in swing, thigh up to
// 30 and 60, trunk 5-10 degrees forward, elbows at a right angle (Novacheck, "The biomechanics of running",
// 1998).
GaitParameters running(double v) {
  GaitParameters g{};
  const double quick = std::clamp((v - 2.0) / 4.0, 0.0, 1.0);
  g.frequency = 2.5 + 0.03 * v + 0.02 * v * v;
  g.contact = (0.58 + 0.06 * v) / v;
  g.ahead = mix(0.21, 0.29, quick);
  g.strike_pitch = -mix(11, 1, quick) * kDegree;
  g.flat_foot = 0.16;
  g.heel_off = mix(0.48, 0.40, quick);
  g.off_pitch = mix(70, 75, quick) * kDegree;
  g.knee = mix(82, 116, quick) * kDegree;
  g.knee_share = 0.37;
  g.mid_knee = mix(34, 42, quick) * kDegree;
  g.off_ankle = -27 * kDegree;
  g.leg_back = -mix(32, 42, quick) * kDegree;
  g.leg_front = mix(10, 20, quick) * kDegree;
  g.strike_knee = mix(15, 20, quick) * kDegree;
  g.off_knee = mix(22, 18, quick) * kDegree;
  g.width = mix(0.10, 0.08, quick);
  g.sway = 0.008;
  g.pelvis_turn = mix(5, 8, quick) * kDegree;
  g.trunk_turn = mix(8, 14, quick) * kDegree;
  g.list = mix(4, 6, quick) * kDegree;
  g.lean = mix(5, 10, quick) * kDegree;
  g.arm_forward = mix(18, 42, quick) * kDegree;
  g.arm_back = mix(30, 48, quick) * kDegree;
  g.elbow = mix(80, 92, quick) * kDegree;
  g.elbow_swing = mix(8, 18, quick) * kDegree;
  g.arm_turn = mix(24, 20, quick) * kDegree;
  g.arm_out = 14 * kDegree;
  return g;
}

constexpr double GaitParameters::*kMembers[] = {
    &GaitParameters::frequency,    &GaitParameters::contact,     &GaitParameters::ahead,
    &GaitParameters::strike_pitch, &GaitParameters::flat_foot,   &GaitParameters::heel_off,
    &GaitParameters::off_pitch,    &GaitParameters::knee,        &GaitParameters::knee_share,
    &GaitParameters::leg_back,     &GaitParameters::strike_knee, &GaitParameters::off_knee,
    &GaitParameters::load_knee,    &GaitParameters::mid_knee,    &GaitParameters::late_knee,
    &GaitParameters::off_ankle,    &GaitParameters::leg_front,   &GaitParameters::width,
    &GaitParameters::sway,         &GaitParameters::pelvis_turn, &GaitParameters::trunk_turn,
    &GaitParameters::list,         &GaitParameters::lean,        &GaitParameters::arm_forward,
    &GaitParameters::arm_back,     &GaitParameters::elbow,       &GaitParameters::elbow_swing,
    &GaitParameters::arm_turn,     &GaitParameters::arm_out};

}  // namespace

GaitParameters gait_at(double speed, double size) {
  const double v = speed / std::sqrt(size);
  const double run = smooth_step(1.9, 2.2, v);
  const GaitParameters a = walking(std::min(v, 2.2)), b = running(std::max(v, 2.0));
  GaitParameters g;
  for (double GaitParameters::*member : kMembers) g.*member = mix(a.*member, b.*member, run);
  g.frequency /= std::sqrt(size);
  g.contact *= std::sqrt(size);
  g.width *= size;
  g.sway *= size;
  return g;
}

GaitPath::GaitPath(const GroundPose& start, double from, const std::vector<PathSegment>& segments) {
  constexpr double kMaxLateral = 3.2;  // m/s2, lateral acceleration of runners in tight curves
  constexpr double kTurnIn = 0.8;      // s, to reach a turning rate
  std::vector<PathSegment> all = segments;
  if (all.empty() || all.back().speed > 0) all.push_back({0, 0, 0, 2});
  double t = from, speed = 0, turn = 0;
  for (const PathSegment& s : all) {
    // The peak of a minimum-jerk profile is 1.875 times the mean.
    const double ramp = std::max(0.3, 1.875 * std::fabs(s.speed - speed) / s.acceleration);
    const double turn_in = std::max(ramp, kTurnIn);
    const double max_turn = s.speed > 0 ? kMaxLateral / std::max(s.speed, speed) : 0;
    speed_.key(t, speed);
    turn_.key(t, turn);
    speed = s.speed, turn = std::clamp(s.turn, -max_turn, max_turn);
    speed_.key(t + ramp, speed);
    turn_.key(t + turn_in, turn);
    t += std::max(s.seconds, turn_in);
  }
  end_ = t;
  integrate(start, from);
}

void GaitPath::integrate(const GroundPose& start, double from) {
  constexpr double kRate = 240;
  for (SampledCurve* s : {&x_, &z_, &heading_}) s->from = from, s->rate = kRate;
  GroundPose p = start;
  for (double t = from; t < end_ + 0.5; t += 1 / kRate) {
    x_.values.push_back(p.x), z_.values.push_back(p.z), heading_.values.push_back(p.heading);
    const double middle = t + 0.5 / kRate, v = speed(middle) / kRate, w = turn(middle) / kRate;
    p.x += v * std::sin(p.heading + 0.5 * w);
    p.z += v * std::cos(p.heading + 0.5 * w);
    p.heading += w;
  }
}

}  // namespace billow::motion
