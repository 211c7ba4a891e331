// Standing, squats and bends, and helpers of all moves.
//
// Standing: the centre of pressure wanders some millimetres, the trunk breathes 15 times a minute (Winter,
// "A.B.C. of Balance during Standing and Walking", 1995), and the weight shifts between the legs every few
// seconds (Duarte and Zatsiorsky, "Patterns of center of pressure migration during prolonged unconstrained
// standing", 1999). Squats and bends take 1 to 1.5 s down or up (Escamilla, "Knee biomechanics of the dynamic
// squat exercise", 2001).
#include "motion/moves.h"

namespace billow::motion {
namespace {

// Turns the gaze; the trunk follows a little, later.
void look(MotionPlan& plan, double from, double seconds, double turn, double flex) {
  const double to = from + seconds;
  plan.key(kGazeTurn, from, plan.value(kGazeTurn, from));
  plan.key(kGazeFlex, from, plan.value(kGazeFlex, from));
  plan.key(kTrunkTurn, from, plan.value(kTrunkTurn, from));
  plan.key(kGazeTurn, to, turn);
  plan.key(kGazeFlex, to, flex);
  plan.key(kGazeLean, to, 0.06 * turn);
  plan.key(kTrunkTurn, to + 0.15, 0.18 * turn);
}

// Arms that hang vertically from a tilted trunk, plus a forward angle.
ArmPose hanging_from(const MotionPlan& plan, double tilt, double forward) {
  ArmPose arm = plan.hanging;
  arm[kForward] = tilt + forward;
  arm[kOut] = 12 * kDegree;
  arm[kElbow] = 12 * kDegree;
  return arm;
}

// Returns to standing between the feet.
void rise(MotionPlan& plan, double time) {
  plan.move_root(time, feet_centre(plan));
  plan.key(kHeight, time, plan.figure.stand_height);
  plan.relax(time + 0.1);
  plan.now = time + 0.15;
}

void forward_bend(MotionPlan& plan) {
  Random& random = plan.random;
  const double down = plan.now + random.uniform(0.9, 1.4), hold = down + random.uniform(0.2, 0.7);
  const double tilt = random.uniform(30, 52) * kDegree, flex = random.uniform(25, 55) * kDegree;
  const double drop = random.uniform(0.03, 0.12), turn = random.uniform(-14, 14) * kDegree;
  const bool one = random.chance(0.5);
  const size_t reaching = random.chance(0.5) ? 0 : 1;
  for (const double t : {down, hold}) {
    const double more = t == hold ? random.uniform(0.96, 1.04) : 1;
    // The pelvis moves back as the trunk tilts forward.
    plan.move_root(t, offset_pose(feet_centre(plan), 0, -0.20 * std::sin(more * tilt) * plan.figure.size));
    plan.key(kHeight, t, plan.figure.stand_height - drop);
    plan.pelvis(t, 0, more * tilt, 0);
    plan.trunk(t, more * flex, one ? 0.4 * turn : 0, one ? turn : 0);
    plan.gaze(t, 0.75 * (tilt + flex), 0, 0);
    for (size_t side = 0; side < kSides; ++side)
      plan.arm(side, t, hanging_from(plan, tilt + flex, (!one || side == reaching ? 4 : -14) * kDegree));
  }
  rise(plan, hold + random.uniform(0.9, 1.3));
}

void side_bend(MotionPlan& plan, double sign) {
  Random& random = plan.random;
  const double down = plan.now + random.uniform(0.8, 1.2), hold = down + random.uniform(0.15, 0.6);
  const double lean = random.uniform(18, 29) * kDegree;
  const bool arm_over = random.chance(0.7);
  for (const double t : {down, hold}) {
    plan.move_root(t, offset_pose(feet_centre(plan), -sign * 0.05, 0));
    plan.key(kHeight, t, plan.figure.stand_height - 0.012);
    plan.pelvis(t, 0, 2 * kDegree, -sign * random.uniform(3, 6) * kDegree);
    plan.trunk(t, random.uniform(0, 4) * kDegree, sign * lean, 0);
    plan.gaze(t, 0, sign * 0.6 * lean, 0);
    const size_t upper = sign > 0 ? 1 : 0;
    if (arm_over)
      plan.arm(upper, t, arm_pose(-random.uniform(4, 14), random.uniform(140, 154), 0, 35, 10, 0));
    plan.arm(1 - upper, t, arm_pose(4, 20, 15, 15));
  }
  rise(plan, hold + random.uniform(0.8, 1.2));
}

void trunk_turns(MotionPlan& plan) {
  Random& random = plan.random;
  const int count = 2 + random.below(3);
  double t = plan.now, sign = random.sign();
  for (int k = 0; k < count; ++k, sign = -sign) {
    t += random.uniform(0.65, 0.95);
    const double turn = sign * random.uniform(24, 36) * kDegree;
    plan.move_root(t, offset_pose(feet_centre(plan), sign * 0.02, 0));
    plan.pelvis(t, 0.5 * turn, 3 * kDegree, 0);
    plan.trunk(t, 2 * kDegree, 0, turn);
    plan.gaze(t, 0, 0, 1.3 * turn);
    // Arms swing with the trunk, one in front of the body and one behind.
    for (size_t side = 0; side < kSides; ++side) {
      const bool across = sign_of(side) * sign < 0;
      plan.arm(side, t + 0.06, across ? arm_pose(58, 26, 25, 62) : arm_pose(-26, 34, 10, 35));
    }
  }
  rise(plan, t + random.uniform(0.7, 1));
}

void back_bend(MotionPlan& plan) {
  Random& random = plan.random;
  const double down = plan.now + random.uniform(0.9, 1.3), hold = down + random.uniform(0.2, 0.6);
  const double flex = -random.uniform(12, 24) * kDegree, up = random.uniform(135, 158);
  for (const double t : {down, hold}) {
    plan.move_root(t, offset_pose(feet_centre(plan), 0, 0.05 * plan.figure.size));
    plan.key(kHeight, t, plan.figure.stand_height - 0.015);
    plan.pelvis(t, 0, -5 * kDegree, 0);
    plan.trunk(t, flex, 0, 0);
    plan.gaze(t, -25 * kDegree, 0, 0);
    plan.arms(t, arm_pose(up, 16, 0, 22));
  }
  rise(plan, hold + random.uniform(0.9, 1.2));
}

}  // namespace

GroundPose feet_centre(const MotionPlan& plan) {
  const GroundPose l = plan.foot_pose(0), r = plan.foot_pose(1);
  return {0.5 * (l.x + r.x), 0.5 * (l.z + r.z), 0.5 * (l.heading + r.heading)};
}

GroundPose over_foot(const MotionPlan& plan, size_t side, double share) {
  const GroundPose middle = feet_centre(plan), foot = plan.foot_pose(side);
  return {mix(middle.x, foot.x, share), mix(middle.z, foot.z, share), middle.heading};
}

Fold fold(const Figure& figure, double depth) {
  const double a = length(figure.thigh[0]), b = length(figure.shin[0]), ankle = figure.roll.height(0);
  // Shins lean forward with depth, up to the ankle's limit; thighs do the rest.
  const double shin = 24 * kDegree * smooth_step(-0.1, 0.5, depth / figure.leg);
  const double hip = figure.stand_height + figure.hip[0].y - depth, knee = ankle + b * std::cos(shin);
  const double up = std::clamp((hip - knee) / a, -0.2, 1.0), thigh = a * std::sqrt(1 - up * up);
  Fold out;
  out.back = std::max(0.0, thigh - b * std::sin(shin));
  // Keep the centre of mass over the middle of the foot: trunk, head and arms are 0.68 of the body, a third
  // of a metre above the hips; thighs 0.2 (Winter, table 4.1).
  const double trunk = 0.34 * figure.size, foot = 0.035 * figure.size;
  const double knees = b * std::sin(shin), legs = 0.2 * (knees - 0.5 * thigh) + 0.12 * 0.5 * knees;
  const double sine = ((foot - legs) / 0.68 + out.back) / trunk;
  const double lean = std::asin(std::clamp(sine, 0.0, 0.94)) * smooth_step(0, 0.12, depth / figure.leg);
  out.tilt = 2 * kDegree + 0.52 * lean;
  out.flex = 0.42 * lean;
  return out;
}

void crouch(MotionPlan& plan, double time, const GroundPose& at, double depth, double share_of_trunk) {
  const Fold f = fold(plan.figure, depth);
  plan.move_root(time, offset_pose(at, 0, -f.back));
  plan.key(kHeight, time, plan.figure.stand_height - depth);
  plan.key(kPelvisTilt, time, mix(2 * kDegree, f.tilt, share_of_trunk));
  plan.key(kTrunkFlex, time, f.flex * share_of_trunk);
}

double turn_heading(Track& heading, double start, double ramp, double rate, double from, double to) {
  const double eased = 0.5 * ramp * rate, steady = std::max(0.01, (to - from - 2 * eased) / rate);
  heading.key(start, from, 0, 0);
  heading.key(start + ramp, from + eased, rate, 0);
  heading.key(start + ramp + steady, to - eased, rate, 0);
  heading.key(start + 2 * ramp + steady, to, 0, 0);
  return start + 2 * ramp + steady;
}

ArmPose arm_pose(double forward, double out, double turn, double elbow, double wrist, double palm) {
  return {forward * kDegree, out * kDegree, turn * kDegree, elbow * kDegree, wrist * kDegree, palm * kDegree};
}

void stand(MotionPlan& plan, double seconds) {
  plan.hold();
  Random& random = plan.random;
  const double from = plan.now, to = from + seconds, breath = random.uniform(3.2, 4.6);
  const GroundPose middle = feet_centre(plan);
  double side = 0, next_shift = from + random.uniform(0.6, 2), next_look = from + random.uniform(0.3, 1.5);
  double arms_at = from + random.uniform(1, 3), t = from;
  while (t < to) {
    t += random.uniform(0.55, 0.85);
    if (t > next_shift) {
      // Shift the weight to one leg, or to both.
      side = random.chance(0.25) ? 0 : random.uniform(0.35, 1) * (side > 0 ? -1 : 1);
      next_shift = t + random.uniform(2.5, 6);
      t += 0.5;
    }
    const double aside = 0.042 * plan.figure.size * side + random.uniform(-0.005, 0.005);
    plan.move_root(t, offset_pose(middle, aside, random.uniform(-0.012, 0.012)));
    plan.key(kHeight, t, plan.figure.stand_height - 0.012 * std::fabs(side) - random.uniform(0, 0.003));
    plan.pelvis(t, random.uniform(-1.5, 1.5) * kDegree, random.uniform(1, 4) * kDegree,
                (3.2 * side + random.uniform(-0.4, 0.4)) * kDegree);
    plan.key(kTrunkLean, t, (3.6 * side + random.uniform(-0.5, 0.5)) * kDegree);
    plan.key(kTrunkFlex, t, (0.8 * std::sin(2 * kPi * t / breath) + random.uniform(-0.4, 0.8)) * kDegree);
    if (t > next_look) {
      look(plan, t, random.uniform(0.4, 0.7), random.uniform(-38, 38) * kDegree,
           random.uniform(-6, 12) * kDegree);
      next_look = t + random.uniform(1.2, 3.5);
    }
    if (t > arms_at) {
      for (size_t s = 0; s < kSides; ++s) {
        ArmPose arm = plan.hanging;
        arm[kForward] += random.uniform(-5, 8) * kDegree;
        arm[kElbow] += random.uniform(-6, 14) * kDegree;
        arm[kArmTurn] += random.uniform(-8, 8) * kDegree;
        plan.arm(s, t, arm);
      }
      arms_at = t + random.uniform(1.5, 3.5);
    }
  }
  plan.now = t + 0.3;
}

void squat(MotionPlan& plan) {
  plan.hold();
  Random& random = plan.random;
  const double down = plan.now + random.uniform(0.9, 1.4), hold = down + random.uniform(0.15, 0.8);
  const double depth = random.uniform(0.18, 0.41) * plan.figure.size;
  const int style = random.below(3);
  for (const double t : {down, hold}) {
    const double d = depth * (t == hold ? random.uniform(0.96, 1.02) : 1);
    crouch(plan, t, feet_centre(plan), d);
    plan.key(kPelvisList, t, random.uniform(-1, 1) * kDegree);
    const Fold f = fold(plan.figure, d);
    plan.gaze(t, (style == 1 ? 0.7 : 0.25) * (f.tilt + f.flex), 0, 0);
    if (style == 0) plan.arms(t, arm_pose(70 + 20 * random.uniform(0, 1), 12, 5, 10));  // stretched forward
    if (style == 1) plan.arms(t, hanging_from(plan, f.tilt + f.flex, 10 * kDegree));    // picking up
    if (style == 2)
      plan.arms(t, arm_pose(40 + random.uniform(0, 10), 16, 30, 105, 5, 20));  // in front of the chest
  }
  const double up = hold + random.uniform(0.8, 1.2);
  rise(plan, up);
}

void bend(MotionPlan& plan) {
  plan.hold();
  const int choice = plan.random.below(8);
  if (choice < 3) return forward_bend(plan);
  if (choice < 5) return side_bend(plan, plan.random.sign());
  if (choice < 7) return trunk_turns(plan);
  back_bend(plan);
}

}  // namespace billow::motion
