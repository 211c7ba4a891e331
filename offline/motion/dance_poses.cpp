// Moves of a dance on the spot: legs in the air, hips, trunk and arms.
#include "motion/dancer.h"
#include "motion/stance.h"

namespace billow::motion {
namespace {

// Comes to stand on one foot, and back onto both.
void stand_on(Dancer& d, double time, size_t side, double bend) {
  Place root = over(d.score, side, 0.86);
  d.score.move_root(time, root);
  d.score.key(kHeight, time, d.score.figure.stand_height - bend * d.score.figure.size);
}

StepStyle lifted() {
  StepStyle style;
  style.off_pitch = 34 * kDegree, style.roll = 0.16;
  style.strike_pitch = 20 * kDegree, style.flat_after = 0.13;
  style.knee = 0;
  return style;
}

// A leg in the air, all of it at one time.
struct Lifted {
  double forward, out, turn, knee, ankle;  // degrees
};
void leg_at(Score& score, size_t side, double time, const Lifted& leg) {
  score.via(side, time, kLegForward, leg.forward * kDegree);
  score.via(side, time, kLegOut, leg.out * kDegree);
  score.via(side, time, kLegTurn, leg.turn * kDegree);
  score.via(side, time, kLegKnee, leg.knee * kDegree);
  score.via(side, time, kLegAnkle, leg.ankle * kDegree);
  score.via(side, time, kLegToes, 0);
}

struct ArmsPose {
  ArmPose left, right;
};
// Both arms alike, or the first and second for one and the other.
constexpr int kArmShapes = 10;
ArmsPose arms_shape(int which) {
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

void arms_somewhere(Dancer& d, double time) {
  ArmsPose arms = arms_shape(d.random().below(kArmShapes));
  if (d.random().chance(0.5)) std::swap(arms.left, arms.right);
  for (ArmPose* arm : {&arms.left, &arms.right}) {
    (*arm)[kForward] += d.random().uniform(-9, 9) * kDegree;
    (*arm)[kOut] += d.random().uniform(-9, 9) * kDegree;
    (*arm)[kArmTurn] += d.random().uniform(-8, 8) * kDegree;
    (*arm)[kElbow] = std::max(8 * kDegree, (*arm)[kElbow] + d.random().uniform(-12, 16) * kDegree);
    (*arm)[kWrist] += d.random().uniform(-8, 18) * kDegree;
  }
  // One arm a little after the other.
  const double later = d.random().uniform(-0.15, 0.15) * d.beat;
  d.score.arm(0, time, arms.left);
  d.score.arm(1, time + later, arms.right);
}

void kick(Dancer& d) {
  Score& score = d.score;
  const double t = score.now, b = d.beat;
  const size_t side = d.random().chance(0.5) ? 0 : 1, other = 1 - side;
  const double s = sign_of(side), top = t + 1.2 * b, down = t + 2.0 * b;
  const int way = d.random().below(3);  // forward, aside, back
  const double high = d.large(0.45, 1);
  stand_on(d, t + 0.55 * b, other, 0.02);
  stand_on(d, top, other, 0.012);
  score.step(side, t + 0.5 * b, down, score.place(side), lifted());
  const bool snap = d.random().chance(0.5);
  if (way == 0) {
    if (snap) leg_at(score, side, t + 0.86 * b, {24, 0, 4, 88, -15});
    leg_at(score, side, top, {92 * high, 0, 4, 10, -32});
    score.pelvis(top, s * 6 * kDegree, -9 * high * kDegree, 0);
    score.trunk(top, 7 * kDegree, 0, -s * 9 * kDegree);
  } else if (way == 1) {
    if (snap) leg_at(score, side, t + 0.86 * b, {22, 12, 30, 80, -15});
    leg_at(score, side, top, {8, 46 * high, 30, 9, -32});
    score.pelvis(top, 0, 3 * kDegree, s * 15 * high * kDegree);
    score.trunk(top, 2 * kDegree, -s * 4 * kDegree, s * 4 * kDegree);
  } else {
    leg_at(score, side, top, {-50 * high, 4, 10, snap ? 45.0 : 14.0, -34});
    score.pelvis(top, -s * 10 * kDegree, 26 * high * kDegree, 0);
    score.trunk(top, -9 * high * kDegree, 0, s * 8 * kDegree);
  }
  score.pelvis(down + 0.1, 0, 3 * kDegree, 0);
  score.trunk(down + 0.1, 2 * kDegree, 0, 0);
  score.gaze(top, 2 * kDegree, 0, d.random().uniform(-15, 15) * kDegree);
  arms_somewhere(d, top - 0.06);
  score.move_root(down + 0.12 * b, over(score, other, 0.25));
  score.key(kHeight, down + 0.1 * b, score.figure.stand_height - d.large(0.015, 0.04));
  score.now = t + 2 * b;
}

void leg_circle(Dancer& d) {
  Score& score = d.score;
  const double t = score.now, b = d.beat;
  const size_t side = d.random().chance(0.5) ? 0 : 1, other = 1 - side;
  const double s = sign_of(side), high = d.large(0.45, 0.9), down = t + 3.6 * b;
  for (const double at : {t + 0.6 * b, t + 2.0 * b, t + 3.1 * b}) stand_on(d, at, other, 0.015);
  score.step(side, t + 0.55 * b, down, score.place(side), lifted());
  // From before the body round its side to behind it.
  leg_at(score, side, t + 1.25 * b, {70 * high, 4, 8, 10, -32});
  leg_at(score, side, t + 2.1 * b, {14, 43 * high, 30, 9, -34});
  leg_at(score, side, t + 2.95 * b, {-42 * high, 10, 14, 14, -34});
  score.pelvis(t + 1.25 * b, 0, -6 * high * kDegree, 0);
  score.pelvis(t + 2.1 * b, 0, 4 * kDegree, s * 12 * high * kDegree);
  score.pelvis(t + 2.95 * b, 0, 20 * high * kDegree, 0);
  score.pelvis(down + 0.1, 0, 3 * kDegree, 0);
  score.trunk(t + 1.25 * b, 5 * kDegree, 0, 0);
  score.trunk(t + 2.1 * b, 0, -s * 3 * kDegree, 0);
  score.trunk(t + 2.95 * b, -6 * high * kDegree, 0, s * 6 * kDegree);
  score.trunk(down + 0.1, 2 * kDegree, 0, 0);
  arms_somewhere(d, t + 1.3 * b);
  if (d.random().chance(0.6)) arms_somewhere(d, t + 2.8 * b);
  score.move_root(down + 0.15 * b, over(score, other, 0.2));
  score.key(kHeight, down + 0.15 * b, score.figure.stand_height - 0.02);
  score.now = t + 4 * b;
}

void hip_circles(Dancer& d) {
  Score& score = d.score;
  const int beats = d.random().chance(0.5) ? 4 : 2;
  const double t = score.now, sign = d.random().sign(), radius = d.large(0.03, 0.058) * score.figure.size;
  const int keys = 4 * beats;
  const double cycle = d.random().chance(0.5) ? 1 : 2;  // beats for a circle
  const Place middle = centre(score);
  for (int k = 1; k <= keys; ++k) {
    const double at = t + 0.25 * d.beat * k, angle = sign * 2 * kPi * 0.25 * k / (2 * cycle);
    const double grow = std::min({1.0, k / 3.0, (keys - k) / 3.0});
    const double x = std::sin(angle) * grow, z = std::cos(angle) * grow;
    score.move_root(at, beside(middle, radius * x, 0.7 * radius * z));
    score.pelvis(at, 5 * x * kDegree, (3 - 9 * z) * kDegree, 7 * x * kDegree);
    score.trunk(at, 9 * z * kDegree, 8 * x * kDegree, -5 * x * kDegree);
    score.key(kHeight, at, score.figure.stand_height - (0.035 + 0.008 * std::fabs(x)) * score.figure.size);
  }
  arms_somewhere(d, t + 0.9 * d.beat);
  if (beats == 4) arms_somewhere(d, t + 2.9 * d.beat);
  score.now = t + beats * d.beat;
}

void hip_turns(Dancer& d) {
  Score& score = d.score;
  const int beats = 2 + d.random().below(3);
  const double t = score.now, b = d.beat;
  double sign = d.random().sign();
  const Place middle = centre(score);
  for (int k = 0; k < beats; ++k, sign = -sign) {
    const double at = t + (k + 0.85) * b, turn = sign * d.large(9, 21) * kDegree;
    score.move_root(at, beside(middle, sign * 0.025 * score.figure.size, 0));
    score.pelvis(at, turn, 4 * kDegree, sign * d.large(1, 4) * kDegree);
    score.trunk(at, 3 * kDegree, sign * 4 * kDegree, -turn * d.random().uniform(0.9, 1.4));
    score.key(kHeight, at - 0.42 * b, score.figure.stand_height - d.large(0.015, 0.03));
    score.key(kHeight, at, score.figure.stand_height - d.large(0.04, 0.08));
    // Arms go with the shoulders.
    for (size_t side = 0; side < kSides; ++side) {
      const bool ahead = sign_of(side) * sign > 0;
      score.arm(side, at,
                ahead ? arm_pose(34 + d.random().uniform(0, 20), 26, 18, 70) : arm_pose(-18, 30, 12, 62));
    }
  }
  score.now = t + beats * b;
}

void groove(Dancer& d) {
  Score& score = d.score;
  const int beats = 2 + 2 * d.random().below(2);
  const double t = score.now, b = d.beat;
  double sign = d.random().sign();
  for (int k = 0; k < beats; ++k, sign = -sign) {
    const double at = t + (k + 0.8) * b;
    const size_t light = sign > 0 ? 1 : 0;
    score.move_root(at, over(score, 1 - light, d.large(0.3, 0.6)));
    score.key(kHeight, at, score.figure.stand_height - d.large(0.03, 0.075));
    score.key(kHeight, at + 0.45 * b, score.figure.stand_height - 0.012);
    score.heel(light, at - 0.4 * b, 0);
    score.heel(light, at, d.large(12, 30) * kDegree);
    score.heel(light, at + 0.5 * b, 0);
    score.pelvis(at, 0, 4 * kDegree, sign * d.large(2, 5) * kDegree);
    score.trunk(at, d.random().uniform(2, 9) * kDegree, -sign * d.large(3, 11) * kDegree,
                sign * d.large(3, 12) * kDegree);
    score.gaze(at, d.random().uniform(0, 8) * kDegree, -sign * 4 * kDegree, sign * 12 * kDegree);
    if (k % 2 == 0) arms_somewhere(d, at);
  }
  score.now = t + (beats + 0.3) * b;
}

void body_wave(Dancer& d) {
  Score& score = d.score;
  const double t = score.now, b = d.beat, amount = d.large(0.5, 1);
  const Place middle = centre(score);
  // A wave runs up: knees and hips first, then chest and head.
  const double deep = t + 0.9 * b, through = t + 1.6 * b, up = t + 2.4 * b, end = t + 3.0 * b;
  crouch(score, deep, middle, 0.11 * amount * score.figure.size);
  score.key(kTrunkFlex, deep, 26 * amount * kDegree);
  score.key(kGazeFlex, deep, 22 * amount * kDegree);
  score.move_root(through, beside(middle, 0, 0.05 * amount * score.figure.size));
  score.key(kHeight, through, score.figure.stand_height - 0.06 * amount);
  score.pelvis(through, 0, -8 * amount * kDegree, 0);
  score.trunk(through, 12 * amount * kDegree, 0, 0);
  score.move_root(up, beside(middle, 0, 0.015));
  score.key(kHeight, up, score.figure.stand_height - 0.008);
  score.pelvis(up, 0, 0, 0);
  score.trunk(up, -14 * amount * kDegree, 0, 0);
  score.key(kGazeFlex, up, -14 * amount * kDegree);
  score.move_root(end, middle);
  score.trunk(end, 0, 0, 0);
  score.key(kGazeFlex, end, 0);
  arms_somewhere(d, through);
  arms_somewhere(d, up + 0.1 * b);
  score.now = end;
}

void rise_on_toes(Dancer& d) {
  Score& score = d.score;
  const double t = score.now, b = d.beat, pitch = d.large(24, 38) * kDegree;
  const double up = t + 1.0 * b, hold = up + d.random().uniform(0.3, 1) * b, down = hold + 0.8 * b;
  const Place middle = centre(score);
  score.move_root(t + 0.35 * b, middle);
  score.key(kHeight, t + 0.35 * b, score.figure.stand_height - 0.03);
  const double high = score.figure.pelvis_height(6 * kDegree, 0.03, score.figure.roll.height(pitch));
  for (const double at : {up, hold}) {
    score.move_root(at, beside(middle, 0, 0.6 * score.figure.roll.contact(pitch).z));
    score.key(kHeight, at, high - (at == hold ? 0.006 : 0));
    score.pelvis(at, 0, 2 * kDegree, 0);
    score.trunk(at, -4 * kDegree, 0, d.random().uniform(-10, 10) * kDegree);
    score.gaze(at, -8 * kDegree, 0, d.random().uniform(-15, 15) * kDegree);
  }
  for (size_t side = 0; side < kSides; ++side) {
    score.heel(side, t + 0.3 * b, 0);
    score.heel(side, up, pitch);
    score.heel(side, hold, pitch);
    score.heel(side, down, 0);
  }
  arms_somewhere(d, up);
  score.move_root(down, middle);
  score.key(kHeight, down, score.figure.stand_height - 0.03);
  score.now = t + std::ceil((down - t) / b) * b;
}

}  // namespace billow::motion
