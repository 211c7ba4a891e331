// Turning on the spot by steps, and pirouettes. In a pirouette dancers reach two turns a second and spot: the
// head stays behind as long as it can, then whips round ahead of the body (Laws, "Physics and the Art of
// Dance", 2002).
#include "motion/moves.h"

namespace billow::motion {
namespace {

// Plans the steps of a turn from time `start` to `end`.
void step_round(MotionPlan& plan, const GroundPose& middle, double start, double end, double beat,
                double sign) {
  const Track& heading = plan.channels[kHeading];
  const double size = plan.figure.size, stay = 1.24 * beat, to = heading.at(end);
  size_t side = sign > 0 ? 0 : 1;
  StepStyle style;
  style.off_pitch = 30 * kDegree, style.roll = 0.35 * stay;
  style.strike_pitch = 14 * kDegree, style.flat_after = 0.10;
  style.knee = 36 * kDegree, style.knee_share = 0.45;
  int arrived = 0;
  for (double strike = start + 0.4; arrived < 2; strike += beat, side = 1 - side) {
    // A foot strikes ahead of the body's heading, and pivots on its ball while the body passes over it.
    if (strike > end - 0.2) ++arrived;
    const double turned = heading.at(strike + stay) - heading.at(strike), pivot = arrived ? 0 : 0.5 * turned;
    const GroundPose body{middle.x, middle.z, arrived ? to : heading.at(strike + 0.5 * stay) - 0.5 * pivot};
    const double off = std::max(start + 0.06, strike - 2 * beat + stay);
    plan.step(side, off, strike, plan.stance_pose(side, body, arrived ? 0 : 0.06 * size), style);
    if (pivot != 0) {
      plan.heel(side, strike + style.flat_after, 9 * kDegree);
      plan.twist(side, strike + 0.02, 0);
      plan.twist(side, strike + stay - 0.02, pivot);
    }
    // Sink onto each step, over the stance foot.
    const double middle_time = strike + 0.45 * beat;
    plan.shift_root(middle_time, offset_pose({middle.x, middle.z, heading.at(middle_time)},
                                             sign_of(side) * 0.022 * size, 0));
    plan.key(kHeight, strike, plan.figure.stand_height - 0.028 * size);
    plan.key(kHeight, middle_time, plan.figure.stand_height - 0.012 * size);
    plan.key(kPelvisList, middle_time, sign_of(side) * 2.5 * kDegree);
    plan.key(kTrunkLean, middle_time, sign_of(side) * 2.5 * kDegree);
    plan.now = strike;
  }
}

constexpr double kRamp = 0.36;           // s, to reach the full rate, and to stop
constexpr double kPitch = 40 * kDegree;  // of the supporting foot

// Times, direction and feet of a pirouette.
struct PirouettePhases {
  size_t standing, other;                  // feet
  double sign, rate;                       // rad/s
  double plie, push, up, over, down, end;  // seconds
  double from, to;                         // headings
  GroundPose support;                      // supporting foot before the turn
};

// Steps back with the other foot and keys the heading.
PirouettePhases prepare(MotionPlan& plan, const Pirouette& options) {
  PirouettePhases turn;
  turn.standing = options.side, turn.other = 1 - options.side;
  turn.sign = options.turns > 0 ? 1 : -1, turn.rate = turn.sign * 2 * kPi * options.turns_per_second;
  turn.from = feet_centre(plan).heading, turn.to = turn.from + 2 * kPi * options.turns;
  plan.fix_twist(turn.standing);
  turn.support = plan.foot_pose(turn.standing);
  StepStyle style;
  style.knee = 35 * kDegree;
  const double placed = plan.now + 0.45, away = -sign_of(turn.standing);
  plan.step(turn.other, plan.now + 0.1, placed,
            offset_pose(turn.support, away * 1.9 * plan.figure.stance, -0.22 * plan.figure.size,
                        away * 18 * kDegree),
            style);
  turn.plie = placed + 0.2, turn.push = placed + 0.34, turn.up = turn.push + kRamp;
  turn.end = turn_heading(plan.channels[kHeading], turn.push, kRamp, turn.rate, turn.from, turn.to);
  turn.over = turn.end - kRamp, turn.down = turn.end - 0.03;
  return turn;
}

// Plie with a counter-rotation, then rise onto the toes with the body above them.
void rise(MotionPlan& plan, const PirouettePhases& turn) {
  const Figure& figure = plan.figure;
  plan.shift_root(turn.plie, over_foot(plan, turn.standing, 0.25));
  plan.key(kHeight, turn.plie, figure.stand_height - 0.09 * figure.size);
  plan.key(kTrunkTurn, turn.plie, -turn.sign * 16 * kDegree);
  plan.key(kPelvisTilt, turn.plie, 5 * kDegree);
  const D3 toes = figure.roll.contact(kPitch);
  const double high = figure.pelvis_height(5 * kDegree, 0.145 * figure.size, figure.roll.height(kPitch));
  for (const double t : {turn.up, turn.over}) {
    plan.shift_root(t,
                    offset_pose(turn.support, sign_of(turn.standing) * toes.x, toes.z - 0.03 * figure.size));
    plan.key(kHeight, t, high);
    plan.pelvis(t, 0, 2 * kDegree, 0);
    plan.trunk(t, -1 * kDegree, 0, turn.sign * 4 * kDegree);
  }
}

// Twists the foot with the body, only while its heel is up, so that the contact does not slide.
void turn_foot(MotionPlan& plan, const PirouettePhases& turn) {
  plan.heel(turn.standing, turn.push - 0.04, 0);
  plan.heel(turn.standing, turn.push + 0.13, kPitch);
  plan.heel(turn.standing, turn.end - 0.02, kPitch);
  plan.heel(turn.standing, turn.end + 0.2, 0);
  Contact& contact = plan.feet[turn.standing].contacts.back();
  contact.twist_pitch = kPitch;
  contact.twist.key(turn.push + 0.09, 0, 0, 0);
  for (const double t : {turn.up, turn.over})
    contact.twist.key(t, plan.value(kHeading, t) - turn.from, turn.rate, 0);
  contact.twist.key(turn.end, turn.to - turn.from, 0, 0);
}

// Spotting: the gaze stays on one target as long as the neck allows, then returns to it from the other side.
void spot_gaze(MotionPlan& plan, const PirouettePhases& turn) {
  const Track& heading = plan.channels[kHeading];
  const double total = std::fabs(turn.to - turn.from);
  const auto reached = [&](double angle) {
    double low = turn.push, high = turn.end;
    for (int round = 0; round < 40; ++round) {
      const double middle = 0.5 * (low + high);
      (turn.sign * (heading.at(middle) - turn.from) < angle ? low : high) = middle;
    }
    return low;
  };
  for (int k = 0; 2 * kPi * k < total - 1; ++k)
    for (const auto& [at, look] :
         {std::pair{0.0, 0.0}, {50.0, -50.0}, {125.0, -58.0}, {220.0, 58.0}, {305.0, 52.0}, {360.0, 0.0}}) {
      const double angle = at * kDegree + 2 * kPi * k;
      if (angle <= total) plan.gaze(reached(angle), -2 * kDegree, 0, turn.sign * look * kDegree);
    }
}

// Draws the other leg up, its foot at the supporting knee and its own knee to the side, and puts it down.
void draw_leg_up(MotionPlan& plan, const PirouettePhases& turn, const GroundPose& to) {
  StepStyle style;
  style.off_pitch = 40 * kDegree, style.roll = 0.16;
  style.strike_pitch = 24 * kDegree, style.flat_after = 0.14, style.knee = 0;
  plan.step(turn.other, turn.push + 0.12, turn.down, plan.stance_pose(turn.other, to), style);
  const double from = std::min(turn.up, turn.over - 0.05), until = turn.over + 0.06;
  for (const double t : {from, until}) {
    plan.via(turn.other, t, kLegKnee, 114 * kDegree);
    plan.via(turn.other, t, kLegForward, 19 * kDegree);
    plan.via(turn.other, t, kLegOut, -5 * kDegree);
    plan.via(turn.other, t, kLegTurn, 42 * kDegree);
    plan.via(turn.other, t, kLegAnkle, -36 * kDegree);
    plan.via(turn.other, t, kLegToes, -10 * kDegree);
  }
  plan.via(turn.other, 0.5 * (until + turn.down), kLegOut, 5 * kDegree);
}

void write_arms(MotionPlan& plan, const PirouettePhases& turn) {
  const ArmPose round = arm_pose(52, 24, 38, 78, 8, 10), aside = arm_pose(14, 68, 12, 26, 4, 10);
  plan.arm(turn.standing, turn.plie, arm_pose(58, 18, 30, 60, 5, 10));
  plan.arm(turn.other, turn.plie, aside);
  plan.arms(turn.up, round);
  plan.arms(turn.over, round);
  plan.arms(turn.end - 0.1, aside);
}

}  // namespace

void spin(MotionPlan& plan, double turns, double turns_per_second) {
  plan.hold();
  Random& random = plan.random;
  const double sign = turns > 0 ? 1 : -1, rate = sign * 2 * kPi * turns_per_second, ramp = 0.55;
  const double start = plan.now + 0.2;
  const GroundPose middle = feet_centre(plan);
  const double from = middle.heading, to = from + 2 * kPi * turns, end = start + (to - from) / rate + ramp;
  turn_heading(plan.channels[kHeading], start, ramp, rate, from, to);
  // Arms spread a little, the head leads.
  for (size_t side = 0; side < kSides; ++side) {
    const ArmPose out =
        arm_pose(random.uniform(5, 20), random.uniform(24, 62), 10, random.uniform(18, 40), 0, 20);
    plan.arm(side, start + ramp, out);
    plan.arm(side, std::max(start + ramp + 0.1, end - ramp), out);
  }
  for (const double t : {start + ramp, std::max(start + ramp + 0.1, end - ramp)}) {
    plan.key(kTrunkFlex, t, 2 * kDegree);
    plan.key(kTrunkTurn, t, 0.09 * rate);
    plan.gaze(t, 3 * kDegree, 0, sign * 24 * kDegree);
    plan.key(kPelvisTilt, t, 3 * kDegree);
  }
  step_round(plan, middle, start, end, std::clamp(60 * kDegree / std::fabs(rate), 0.28, 0.5), sign);
  const double rest = std::max(plan.now, end) + 0.35;
  plan.shift_root(rest, middle);
  plan.key(kHeight, rest, plan.figure.stand_height);
  plan.relax(rest + 0.2);
  plan.now = rest + 0.25;
}

void pirouette(MotionPlan& plan, const Pirouette& options) {
  plan.hold();
  const PirouettePhases turn = prepare(plan, options);
  rise(plan, turn);
  turn_foot(plan, turn);
  spot_gaze(plan, turn);
  write_arms(plan, turn);
  // Land with the other foot beside the supporting one.
  const Figure& figure = plan.figure;
  const GroundPose to =
      offset_pose(plan.foot_pose(turn.standing), -sign_of(turn.standing) * figure.stance, 0);
  draw_leg_up(plan, turn, to);
  plan.shift_root(turn.end + 0.3, to);
  plan.key(kHeight, turn.end + 0.08, figure.stand_height - 0.05 * figure.size);
  plan.key(kHeight, turn.end + 0.5, figure.stand_height);
  plan.relax(turn.end + 0.6);
  plan.now = turn.end + 0.65;
}

}  // namespace billow::motion
