// Dance moves on the spot: raised legs, hips, trunk and arms.
#include "motion/dance.h"
#include "motion/moves.h"

namespace billow::motion {
namespace {

// Shifts the weight over one foot.
void stand_on(Dancer& d, double time, size_t side, double bend) {
  GroundPose root = over_foot(d.plan, side, 0.86);
  d.plan.move_root(time, root);
  d.plan.key(kHeight, time, d.plan.figure.stand_height - bend * d.plan.figure.size);
}

StepStyle lifted_step() {
  StepStyle style;
  style.off_pitch = 34 * kDegree, style.roll = 0.16;
  style.strike_pitch = 20 * kDegree, style.flat_after = 0.13;
  style.knee = 0;
  return style;
}

// All via points of a raised leg at one time.
struct LegPose {
  double forward, out, turn, knee, ankle;  // degrees
};
void leg_pose(MotionPlan& plan, size_t side, double time, const LegPose& leg) {
  plan.via(side, time, kLegForward, leg.forward * kDegree);
  plan.via(side, time, kLegOut, leg.out * kDegree);
  plan.via(side, time, kLegTurn, leg.turn * kDegree);
  plan.via(side, time, kLegKnee, leg.knee * kDegree);
  plan.via(side, time, kLegAnkle, leg.ankle * kDegree);
  plan.via(side, time, kLegToes, 0);
}

struct ArmsPose {
  ArmPose left, right;
};
// One of kArmPoses poses of both arms.
constexpr int kArmPoses = 10;
ArmsPose arms_pose(int which) {
  const ArmPose low = arm_pose(8, 20, 12, 28), aside = arm_pose(10, 78, 8, 16, 5, 10),
                up = arm_pose(-10, 142, 0, 18), front = arm_pose(76, 20, 14, 22, 0, 20),
                round = arm_pose(56, 26, 36, 72, 10, 10), back = arm_pose(-32, 28, 8, 20),
                over_head = arm_pose(-14, 146, 0, 42, 10, 0), raised = arm_pose(12, 82, -52, 88),
                diagonal = arm_pose(38, 58, 5, 14);
  switch (which) {
    case 0:
      return {low, low};
    case 1:
      return {aside, aside};
    case 2:
      return {up, up};
    case 3:
      return {front, back};
    case 4:
      return {round, aside};
    case 5:
      return {over_head, aside};
    case 6:
      return {raised, raised};
    case 7:
      return {over_head, over_head};
    case 8:
      return {diagonal, back};
    default:
      return {up, low};
  }
}

}  // namespace

void random_arms(Dancer& d, double time) {
  ArmsPose arms = arms_pose(d.random().below(kArmPoses));
  if (d.random().chance(0.5)) std::swap(arms.left, arms.right);
  for (ArmPose* arm : {&arms.left, &arms.right}) {
    (*arm)[kForward] += d.random().uniform(-9, 9) * kDegree;
    (*arm)[kOut] += d.random().uniform(-9, 9) * kDegree;
    (*arm)[kArmTurn] += d.random().uniform(-8, 8) * kDegree;
    (*arm)[kElbow] = std::max(8 * kDegree, (*arm)[kElbow] + d.random().uniform(-12, 16) * kDegree);
    (*arm)[kWrist] += d.random().uniform(-8, 18) * kDegree;
  }
  // Offset the arms slightly in time.
  const double later = d.random().uniform(-0.15, 0.15) * d.beat;
  d.plan.arm(0, time, arms.left);
  d.plan.arm(1, time + later, arms.right);
}

void kick(Dancer& d) {
  MotionPlan& plan = d.plan;
  const double t = plan.now, b = d.beat;
  const size_t side = d.random().chance(0.5) ? 0 : 1, other = 1 - side;
  const double s = sign_of(side), top = t + 1.2 * b, down = t + 2.0 * b;
  const int direction = d.random().below(3);  // forward, sideways, back
  const double high = d.amplitude(0.45, 1);
  stand_on(d, t + 0.55 * b, other, 0.02);
  stand_on(d, top, other, 0.012);
  plan.step(side, t + 0.5 * b, down, plan.foot_pose(side), lifted_step());
  const bool snap = d.random().chance(0.5);
  if (direction == 0) {
    if (snap) leg_pose(plan, side, t + 0.86 * b, {24, 0, 4, 88, -15});
    leg_pose(plan, side, top, {92 * high, 0, 4, 10, -32});
    plan.pelvis(top, s * 6 * kDegree, -9 * high * kDegree, 0);
    plan.trunk(top, 7 * kDegree, 0, -s * 9 * kDegree);
  } else if (direction == 1) {
    if (snap) leg_pose(plan, side, t + 0.86 * b, {22, 12, 30, 80, -15});
    leg_pose(plan, side, top, {8, 46 * high, 30, 9, -32});
    plan.pelvis(top, 0, 3 * kDegree, s * 15 * high * kDegree);
    plan.trunk(top, 2 * kDegree, -s * 4 * kDegree, s * 4 * kDegree);
  } else {
    leg_pose(plan, side, top, {-50 * high, 4, 10, snap ? 45.0 : 14.0, -34});
    plan.pelvis(top, -s * 10 * kDegree, 26 * high * kDegree, 0);
    plan.trunk(top, -9 * high * kDegree, 0, s * 8 * kDegree);
  }
  plan.pelvis(down + 0.1, 0, 3 * kDegree, 0);
  plan.trunk(down + 0.1, 2 * kDegree, 0, 0);
  plan.gaze(top, 2 * kDegree, 0, d.random().uniform(-15, 15) * kDegree);
  random_arms(d, top - 0.06);
  plan.move_root(down + 0.12 * b, over_foot(plan, other, 0.25));
  plan.key(kHeight, down + 0.1 * b, plan.figure.stand_height - d.amplitude(0.015, 0.04));
  plan.now = t + 2 * b;
}

void leg_circle(Dancer& d) {
  MotionPlan& plan = d.plan;
  const double t = plan.now, b = d.beat;
  const size_t side = d.random().chance(0.5) ? 0 : 1, other = 1 - side;
  const double s = sign_of(side), high = d.amplitude(0.45, 0.9), down = t + 3.6 * b;
  for (const double at : {t + 0.6 * b, t + 2.0 * b, t + 3.1 * b}) stand_on(d, at, other, 0.015);
  plan.step(side, t + 0.55 * b, down, plan.foot_pose(side), lifted_step());
  // From the front round the side to the back.
  leg_pose(plan, side, t + 1.25 * b, {70 * high, 4, 8, 10, -32});
  leg_pose(plan, side, t + 2.1 * b, {14, 43 * high, 30, 9, -34});
  leg_pose(plan, side, t + 2.95 * b, {-42 * high, 10, 14, 14, -34});
  plan.pelvis(t + 1.25 * b, 0, -6 * high * kDegree, 0);
  plan.pelvis(t + 2.1 * b, 0, 4 * kDegree, s * 12 * high * kDegree);
  plan.pelvis(t + 2.95 * b, 0, 20 * high * kDegree, 0);
  plan.pelvis(down + 0.1, 0, 3 * kDegree, 0);
  plan.trunk(t + 1.25 * b, 5 * kDegree, 0, 0);
  plan.trunk(t + 2.1 * b, 0, -s * 3 * kDegree, 0);
  plan.trunk(t + 2.95 * b, -6 * high * kDegree, 0, s * 6 * kDegree);
  plan.trunk(down + 0.1, 2 * kDegree, 0, 0);
  random_arms(d, t + 1.3 * b);
  if (d.random().chance(0.6)) random_arms(d, t + 2.8 * b);
  plan.move_root(down + 0.15 * b, over_foot(plan, other, 0.2));
  plan.key(kHeight, down + 0.15 * b, plan.figure.stand_height - 0.02);
  plan.now = t + 4 * b;
}

void hip_circles(Dancer& d) {
  MotionPlan& plan = d.plan;
  const int beats = d.random().chance(0.5) ? 4 : 2;
  const double t = plan.now, sign = d.random().sign(), radius = d.amplitude(0.03, 0.058) * plan.figure.size;
  const int keys = 4 * beats;
  const double cycle = d.random().chance(0.5) ? 1 : 2;  // beats per circle
  const GroundPose middle = feet_centre(plan);
  for (int k = 1; k <= keys; ++k) {
    const double at = t + 0.25 * d.beat * k, angle = sign * 2 * kPi * 0.25 * k / (2 * cycle);
    const double grow = std::min({1.0, k / 3.0, (keys - k) / 3.0});
    const double x = std::sin(angle) * grow, z = std::cos(angle) * grow;
    plan.move_root(at, offset_pose(middle, radius * x, 0.7 * radius * z));
    plan.pelvis(at, 5 * x * kDegree, (3 - 9 * z) * kDegree, 7 * x * kDegree);
    plan.trunk(at, 9 * z * kDegree, 8 * x * kDegree, -5 * x * kDegree);
    plan.key(kHeight, at, plan.figure.stand_height - (0.035 + 0.008 * std::fabs(x)) * plan.figure.size);
  }
  random_arms(d, t + 0.9 * d.beat);
  if (beats == 4) random_arms(d, t + 2.9 * d.beat);
  plan.now = t + beats * d.beat;
}

void hip_turns(Dancer& d) {
  MotionPlan& plan = d.plan;
  const int beats = 2 + d.random().below(3);
  const double t = plan.now, b = d.beat;
  double sign = d.random().sign();
  const GroundPose middle = feet_centre(plan);
  for (int k = 0; k < beats; ++k, sign = -sign) {
    const double at = t + (k + 0.85) * b, turn = sign * d.amplitude(9, 21) * kDegree;
    plan.move_root(at, offset_pose(middle, sign * 0.025 * plan.figure.size, 0));
    plan.pelvis(at, turn, 4 * kDegree, sign * d.amplitude(1, 4) * kDegree);
    plan.trunk(at, 3 * kDegree, sign * 4 * kDegree, -turn * d.random().uniform(0.9, 1.4));
    plan.key(kHeight, at - 0.42 * b, plan.figure.stand_height - d.amplitude(0.015, 0.03));
    plan.key(kHeight, at, plan.figure.stand_height - d.amplitude(0.04, 0.08));
    // Arms follow the shoulders.
    for (size_t side = 0; side < kSides; ++side) {
      const bool ahead = sign_of(side) * sign > 0;
      plan.arm(side, at,
               ahead ? arm_pose(34 + d.random().uniform(0, 20), 26, 18, 70) : arm_pose(-18, 30, 12, 62));
    }
  }
  plan.now = t + beats * b;
}

void groove(Dancer& d) {
  MotionPlan& plan = d.plan;
  const int beats = 2 + 2 * d.random().below(2);
  const double t = plan.now, b = d.beat;
  double sign = d.random().sign();
  for (int k = 0; k < beats; ++k, sign = -sign) {
    const double at = t + (k + 0.8) * b;
    const size_t light = sign > 0 ? 1 : 0;
    plan.move_root(at, over_foot(plan, 1 - light, d.amplitude(0.3, 0.6)));
    plan.key(kHeight, at, plan.figure.stand_height - d.amplitude(0.03, 0.075));
    plan.key(kHeight, at + 0.45 * b, plan.figure.stand_height - 0.012);
    plan.heel(light, at - 0.4 * b, 0);
    plan.heel(light, at, d.amplitude(12, 30) * kDegree);
    plan.heel(light, at + 0.5 * b, 0);
    plan.pelvis(at, 0, 4 * kDegree, sign * d.amplitude(2, 5) * kDegree);
    plan.trunk(at, d.random().uniform(2, 9) * kDegree, -sign * d.amplitude(3, 11) * kDegree,
               sign * d.amplitude(3, 12) * kDegree);
    plan.gaze(at, d.random().uniform(0, 8) * kDegree, -sign * 4 * kDegree, sign * 12 * kDegree);
    if (k % 2 == 0) random_arms(d, at);
  }
  plan.now = t + (beats + 0.3) * b;
}

void body_wave(Dancer& d) {
  MotionPlan& plan = d.plan;
  const double t = plan.now, b = d.beat, amount = d.amplitude(0.5, 1);
  const GroundPose middle = feet_centre(plan);
  // The wave travels upwards: knees and hips first, then chest and head.
  const double deep = t + 0.9 * b, through = t + 1.6 * b, up = t + 2.4 * b, end = t + 3.0 * b;
  crouch(plan, deep, middle, 0.11 * amount * plan.figure.size);
  plan.key(kTrunkFlex, deep, 26 * amount * kDegree);
  plan.key(kGazeFlex, deep, 22 * amount * kDegree);
  plan.move_root(through, offset_pose(middle, 0, 0.05 * amount * plan.figure.size));
  plan.key(kHeight, through, plan.figure.stand_height - 0.06 * amount);
  plan.pelvis(through, 0, -8 * amount * kDegree, 0);
  plan.trunk(through, 12 * amount * kDegree, 0, 0);
  plan.move_root(up, offset_pose(middle, 0, 0.015));
  plan.key(kHeight, up, plan.figure.stand_height - 0.008);
  plan.pelvis(up, 0, 0, 0);
  plan.trunk(up, -14 * amount * kDegree, 0, 0);
  plan.key(kGazeFlex, up, -14 * amount * kDegree);
  plan.move_root(end, middle);
  plan.trunk(end, 0, 0, 0);
  plan.key(kGazeFlex, end, 0);
  random_arms(d, through);
  random_arms(d, up + 0.1 * b);
  plan.now = end;
}

void rise_on_toes(Dancer& d) {
  MotionPlan& plan = d.plan;
  const double t = plan.now, b = d.beat, pitch = d.amplitude(24, 38) * kDegree;
  const double up = t + 1.0 * b, hold = up + d.random().uniform(0.3, 1) * b, down = hold + 0.8 * b;
  const GroundPose middle = feet_centre(plan);
  plan.move_root(t + 0.35 * b, middle);
  plan.key(kHeight, t + 0.35 * b, plan.figure.stand_height - 0.03);
  const double high = plan.figure.pelvis_height(6 * kDegree, 0.03, plan.figure.roll.height(pitch));
  for (const double at : {up, hold}) {
    plan.move_root(at, offset_pose(middle, 0, 0.6 * plan.figure.roll.contact(pitch).z));
    plan.key(kHeight, at, high - (at == hold ? 0.006 : 0));
    plan.pelvis(at, 0, 2 * kDegree, 0);
    plan.trunk(at, -4 * kDegree, 0, d.random().uniform(-10, 10) * kDegree);
    plan.gaze(at, -8 * kDegree, 0, d.random().uniform(-15, 15) * kDegree);
  }
  for (size_t side = 0; side < kSides; ++side) {
    plan.heel(side, t + 0.3 * b, 0);
    plan.heel(side, up, pitch);
    plan.heel(side, hold, pitch);
    plan.heel(side, down, 0);
  }
  random_arms(d, up);
  plan.move_root(down, middle);
  plan.key(kHeight, down, plan.figure.stand_height - 0.03);
  plan.now = t + std::ceil((down - t) / b) * b;
}

}  // namespace billow::motion
