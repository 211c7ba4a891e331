#include "motion/gait_figures.h"

#include "motion/rotation.h"

namespace billow::motion {
namespace {

// Walking: step length grows as speed to the power 0.42 (Grieve 1968; Kuo 2001), 0.75 m at 1.4 m/s; feet are
// down 62 % of a stride at 1.4 m/s, more when slower; foot strikes with the toes 20 degrees up, sole down by
// 12 % of stance, heel off at half of it, toes off with the heel 60 degrees up, knee 60-65 degrees in early
// swing; pelvis turns 4-5 and lists 4 degrees; arms swing from 15 back to 15 forward (Perry, "Gait Analysis",
// 1992; Winter, "Biomechanics and Motor Control of Human Movement"; Murray 1967 for the arms).
GaitFigures walking(double v) {
  GaitFigures g{};
  const double quick = std::clamp((v - 0.8) / 1.0, 0.0, 1.0);
  const double step = 0.75 * std::pow(std::max(v, 0.3) / 1.4, 0.42);
  g.frequency = std::max(1.4, v / step);
  const double duty = mix(0.655, 0.59, quick);
  g.contact = 2 * duty / g.frequency;
  g.ahead = 0.38;
  const double stride = std::clamp(v / 1.2, 0.25, 1.0);
  g.strike_pitch = -mix(14, 22, quick) * stride * kDegree;
  g.pattern_uvs = 0.17;
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

// Running: 2.6 steps a second at 2 m/s and 3.4 at 6 m/s, down for 0.35 and 0.16 s, so in the air for up to
// 0.14 s (Weyand et al. 2000; Dorn, Schache and Pandy 2012); knee 90 to 120 degrees in swing, thigh up to 30
// and 60, trunk 5-10 degrees forward, elbows at a right angle (Novacheck, "The biomechanics of running", 1998).
GaitFigures running(double v) {
  GaitFigures g{};
  const double quick = std::clamp((v - 2.0) / 4.0, 0.0, 1.0);
  g.frequency = 2.5 + 0.03 * v + 0.02 * v * v;
  g.contact = (0.58 + 0.06 * v) / v;
  g.ahead = mix(0.21, 0.29, quick);
  g.strike_pitch = -mix(11, 1, quick) * kDegree;
  g.pattern_uvs = 0.16;
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

constexpr double GaitFigures::*kMembers[] = {
    &GaitFigures::frequency,   &GaitFigures::contact,  &GaitFigures::ahead,       &GaitFigures::strike_pitch,
    &GaitFigures::pattern_uvs, &GaitFigures::heel_off, &GaitFigures::off_pitch,   &GaitFigures::knee,
    &GaitFigures::knee_share,  &GaitFigures::leg_back, &GaitFigures::strike_knee, &GaitFigures::off_knee,
    &GaitFigures::load_knee,   &GaitFigures::mid_knee, &GaitFigures::late_knee,   &GaitFigures::off_ankle,
    &GaitFigures::leg_front,   &GaitFigures::width,    &GaitFigures::sway,        &GaitFigures::pelvis_turn,
    &GaitFigures::trunk_turn,  &GaitFigures::list,     &GaitFigures::lean,        &GaitFigures::arm_forward,
    &GaitFigures::arm_back,    &GaitFigures::elbow,    &GaitFigures::elbow_swing, &GaitFigures::arm_turn,
    &GaitFigures::arm_out};

}  // namespace

GaitFigures gait_at(double speed, double size) {
  const double v = speed / std::sqrt(size);
  const double run = smooth_step(1.9, 2.2, v);
  const GaitFigures a = walking(std::min(v, 2.2)), b = running(std::max(v, 2.0));
  GaitFigures g;
  for (double GaitFigures::*member : kMembers) g.*member = mix(a.*member, b.*member, run);
  g.frequency /= std::sqrt(size);
  g.contact *= std::sqrt(size);
  g.width *= size;
  g.sway *= size;
  return g;
}

}  // namespace billow::motion
