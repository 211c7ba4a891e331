// The dance, and its moves that travel or turn. Moves follow a beat of 96 to 124 per minute. None comes twice
// in a row, the dancer stays near one place, and all amplitudes are random.
#include <algorithm>
#include <vector>

#include "motion/dance.h"
#include "motion/moves.h"

namespace billow::motion {
namespace {

// Keys a lowered pelvis.
void bounce(Dancer& d, double time, double down) {
  d.plan.key(kHeight, time, d.plan.figure.stand_height - down * d.plan.figure.size);
}

// Sign of the direction along a heading that leads back to the stage; random near it.
double direction_to_stage(Dancer& d, double heading) {
  const GroundPose at = feet_centre(d.plan);
  const double along = (d.stage.x - at.x) * std::sin(heading) + (d.stage.z - at.z) * std::cos(heading);
  return std::fabs(along) < 0.3 ? d.random().sign() : along > 0 ? 1 : -1;
}

// `in_front`: the foot is in front of the body and lifts off flat.
StepStyle dance_step(double knee, bool in_front = false) {
  StepStyle style;
  style.off_pitch = (in_front ? 2 : 32) * kDegree, style.roll = 0.14;
  style.strike_pitch = 16 * kDegree, style.flat_after = 0.11;
  style.knee = knee * kDegree, style.knee_share = 0.45;
  return style;
}

// Sways hips and shoulders over a foot.
void sway(Dancer& d, double time, size_t side, double amount, double share) {
  const double s = sign_of(side);
  d.plan.move_root(time, over_foot(d.plan, side, share));
  d.plan.pelvis(time, -s * d.random().uniform(0, 8) * amount * kDegree, 3 * kDegree,
                s * 4.5 * amount * kDegree);
  d.plan.trunk(time, d.random().uniform(-2, 5) * kDegree, s * d.random().uniform(4, 12) * amount * kDegree,
               s * d.random().uniform(-4, 10) * amount * kDegree);
}

struct Choice {
  DanceMove move;
  double weight;
};
constexpr Choice kMoves[] = {{side_steps, 1.5},  {walk_steps, 1.2}, {kick, 2.2},       {leg_circle, 0.7},
                             {lunge, 1.6},       {hip_circles, 1},  {hip_turns, 1.2},  {groove, 0.8},
                             {body_wave, 0.6},   {pivot_turn, 1.1}, {dance_jump, 0.8}, {dance_pirouette, 1.5},
                             {rise_on_toes, 0.7}};

// Draws a move. The weight of a move grows with the time since it was last drawn.
size_t draw_move(Random& random, std::vector<double>& weights) {
  double sum = 0;
  for (const double u : weights) sum += u;
  double at = random.uniform(0, sum);
  size_t chosen = 0;
  while (chosen + 1 < weights.size() && (at -= weights[chosen]) > 0) ++chosen;
  for (size_t k = 0; k < weights.size(); ++k) weights[k] += 0.25 * kMoves[k].weight;
  weights[chosen] = 0;
  return chosen;
}

}  // namespace

void side_steps(Dancer& d) {
  MotionPlan& plan = d.plan;
  const int pairs = 1 + d.random().below(2);
  for (int k = 0; k < pairs; ++k) {
    const double left = direction_to_stage(d, d.facing + kPi / 2), t = plan.now, b = d.beat;
    const size_t lead = left > 0 ? 0 : 1, other = 1 - lead;
    const double wide = d.amplitude(0.22, 0.40) * plan.figure.size, knee = d.amplitude(28, 55);
    // Step out with one foot,
    plan.step(lead, t + 0.2 * b, t + 0.85 * b,
              offset_pose(plan.foot_pose(lead), left * wide, d.random().uniform(-0.08, 0.08)),
              dance_step(knee));
    bounce(d, t + 0.85 * b, d.amplitude(0.03, 0.07));
    sway(d, t + 1.05 * b, lead, d.amplitude(0.5, 1.3), 0.6);
    bounce(d, t + 1.25 * b, 0.012);
    if (d.random().chance(0.7)) random_arms(d, t + 1.0 * b);
    // then close with the other, beside it or crossed behind.
    const double apart = left * -2 * plan.figure.stance * d.random().uniform(1.0, 1.25);
    plan.step(other, t + 1.2 * b, t + 1.88 * b,
              offset_pose(plan.foot_pose(lead), apart, d.random().uniform(-0.12, 0.06)), dance_step(knee));
    bounce(d, t + 1.88 * b, d.amplitude(0.03, 0.06));
    sway(d, t + 2.1 * b, other, d.amplitude(0.3, 0.9), 0.3);
    plan.key(kGazeTurn, t + 1.0 * b, left * d.random().uniform(0, 30) * kDegree);
    plan.now = t + 2 * b;
  }
}

void walk_steps(Dancer& d) {
  MotionPlan& plan = d.plan;
  const int steps = 2 + d.random().below(3);
  const double ahead = direction_to_stage(d, d.facing);
  size_t side = d.random().chance(0.5) ? 0 : 1;
  for (int k = 0; k < steps; ++k, side = 1 - side) {
    const double t = plan.now, b = d.beat,
                 length = (ahead > 0 ? d.amplitude(0.22, 0.42) : -d.amplitude(0.14, 0.24)) * plan.figure.size;
    const GroundPose from = plan.foot_pose(1 - side);
    // The last step closes beside the other foot.
    const double go_on = k + 1 == steps ? d.random().uniform(-0.05, 0.05) : length;
    plan.step(side, t + 0.22 * b, t + 0.85 * b,
              offset_pose(from, sign_of(side) * 2 * plan.figure.stance, go_on),
              dance_step(d.amplitude(28, 48), ahead < 0));
    bounce(d, t + 0.85 * b, d.amplitude(0.03, 0.055));
    sway(d, t + 1.02 * b, side, d.amplitude(0.5, 1.2), 0.62);
    bounce(d, t + 1.2 * b, 0.01);
    if (k % 2 == 0) random_arms(d, t + 0.9 * b);
    plan.gaze(t + 0.9 * b, d.random().uniform(-4, 8) * kDegree, 0, d.random().uniform(-22, 22) * kDegree);
    plan.now = t + b;
  }
}

void lunge(Dancer& d) {
  MotionPlan& plan = d.plan;
  const double t = plan.now, b = d.beat, size = plan.figure.size;
  const bool aside = d.random().chance(0.45);
  const double far = (aside ? d.amplitude(0.36, 0.55) : d.amplitude(0.45, 0.66)) * size,
               down = d.amplitude(0.12, 0.25) * size;
  size_t lead = d.random().chance(0.5) ? 0 : 1;
  if (aside) lead = direction_to_stage(d, d.facing + kPi / 2) > 0 ? 0 : 1;
  const size_t other = 1 - lead;
  const double s = sign_of(lead), ahead = aside ? 0.04 : far;
  const GroundPose home = plan.foot_pose(lead);
  plan.step(lead, t + 0.25 * b, t + 0.95 * b,
            offset_pose(home, s * (aside ? far : 0.03), ahead, s * (aside ? 14 : 0) * kDegree),
            dance_step(d.amplitude(40, 70)));
  // Sink over the leading foot; the rear heel rises.
  const double deep = t + d.random().uniform(1.35, 1.7) * b, hold = deep + d.random().uniform(0.15, 0.8) * b;
  for (const double at : {deep, hold}) {
    GroundPose root = over_foot(plan, lead, aside ? 0.52 : 0.22);
    plan.move_root(at, root);
    plan.key(kHeight, at, plan.figure.stand_height - down * (at == hold ? 1.06 : 1));
    plan.pelvis(at, aside ? 0 : -s * 8 * kDegree, (aside ? 8 : 5) * kDegree, 0);
    plan.trunk(at, d.random().uniform(-6, 12) * kDegree, s * d.random().uniform(aside ? 4 : -6, 12) * kDegree,
               s * d.random().uniform(-22, 22) * kDegree);
    plan.gaze(at, d.random().uniform(-8, 8) * kDegree, 0, d.random().uniform(-30, 30) * kDegree);
  }
  if (!aside) {
    plan.heel(other, t + 0.7 * b, 0);
    plan.heel(other, deep, d.random().uniform(24, 34) * kDegree);
    plan.heel(other, hold, 32 * kDegree);
  }
  random_arms(d, deep);
  // Push back, or bring the other foot up to the leading one. Rise only after lift-off.
  const double back = hold + 0.35 * b, there = hold + 1.1 * b;
  plan.key(kHeight, back + 0.05 * b, plan.figure.stand_height - 0.85 * down);
  if (d.random().chance(0.5)) {
    plan.heel(other, back + 0.1 * b, 0);
    plan.step(lead, back, there, offset_pose(plan.foot_pose(other), s * 2 * plan.figure.stance, 0.02),
              dance_step(45, !aside));
  } else {
    plan.step(other, back, there,
              offset_pose(offset_pose(plan.foot_pose(lead), 0, 0, -s * (aside ? 14 : 0) * kDegree),
                          -s * 2 * plan.figure.stance, 0),
              dance_step(48));
  }
  bounce(d, there + 0.15 * b, 0.02);
  plan.move_root(there + 0.2 * b, feet_centre(plan));
  plan.now = t + std::ceil((there - t) / b + 0.15) * b;
}

void pivot_turn(Dancer& d) {
  MotionPlan& plan = d.plan;
  const double t = plan.now, b = d.beat, sign = d.random().sign();
  // Step forward, pivot on the toes of both feet, and close.
  const size_t lead = sign > 0 ? 1 : 0, other = 1 - lead;
  const double s = sign_of(lead), turn = sign * d.random().uniform(70, 125) * kDegree;
  plan.fix_twist(other);
  const GroundPose from = plan.foot_pose(other);
  plan.step(lead, t + 0.2 * b, t + 0.85 * b,
            offset_pose(from, s * plan.figure.stance, d.amplitude(0.22, 0.3)), dance_step(38));
  plan.now = t + 0.9 * b;
  const double start = t + 1.0 * b, end = t + 1.95 * b, heading = feet_centre(plan).heading;
  plan.move_root(start, over_foot(plan, lead, 0.1));
  for (size_t side = 0; side < kSides; ++side) {
    // Heels up before the pivot, down after it.
    if (side == lead) {
      plan.heel(side, t + 0.85 * b + dance_step(0).flat_after, 15 * kDegree);
    } else {
      plan.heel(side, start - 0.12, 0);
      plan.heel(side, start + 0.06, 15 * kDegree);
    }
    plan.heel(side, end - 0.02, 15 * kDegree);
    plan.heel(side, end + 0.16, 0);
    plan.twist(side, start + 0.05, 0);
    plan.twist(side, end - 0.03, 0.92 * turn);
  }
  bounce(d, start + 0.05, 0.005);
  plan.key(kHeading, start, heading);
  plan.key(kHeading, end, heading + turn);
  plan.key(kTrunkTurn, start + 0.12, 0.12 * turn);
  plan.key(kTrunkTurn, end + 0.2, 0);
  plan.key(kGazeTurn, start + 0.15 * b, 0.25 * turn);
  plan.key(kGazeTurn, end, 0);
  random_arms(d, 0.5 * (start + end));
  d.facing += turn;
  const GroundPose middle{feet_centre(plan).x, feet_centre(plan).z, heading + turn};
  plan.shift_root(0.5 * (start + end), middle);
  bounce(d, end + 0.1, 0.03);
  GroundPose to_lead = over_foot(plan, lead, 0.5);
  to_lead.heading = heading + turn;
  plan.shift_root(t + 2.25 * b, to_lead);
  plan.step(other, t + 2.15 * b, t + 2.85 * b,
            offset_pose({plan.foot_pose(lead).x, plan.foot_pose(lead).z, heading + turn},
                        -s * 2 * plan.figure.stance, 0),
            dance_step(50, true));
  plan.via(other, t + 2.45 * b, kLegOut, 9 * kDegree);  // clear of the other leg
  plan.move_root(t + 3.1 * b, {feet_centre(plan).x, feet_centre(plan).z, heading + turn});
  plan.now = t + 3 * b;
}

void dance_pirouette(Dancer& d) {
  MotionPlan& plan = d.plan;
  const double turns = 1 + d.random().below(d.energy > 0.6 ? 3 : 2), sign = d.random().sign();
  pirouette(plan,
            {d.random().chance(0.5) ? size_t{0} : size_t{1}, sign * turns, d.random().uniform(1.1, 1.9)});
  d.facing += sign * turns * 2 * kPi;
}

void dance_jump(Dancer& d) {
  Jump options;
  options.height = d.amplitude(0.08, 0.26);
  if (d.random().chance(0.5)) options.turn = d.random().sign() * d.random().uniform(60, 180) * kDegree;
  if (d.random().chance(0.4)) options.forward = d.random().uniform(0.2, 0.6);
  if (options.turn == 0 && d.random().chance(0.5)) options.star = d.random().uniform(0.3, 1);
  jump(d.plan, options);
  d.facing += options.turn;
}

void dance(MotionPlan& plan, double seconds) {
  plan.hold();
  Random& random = plan.random;
  const GroundPose start = feet_centre(plan);
  Dancer dancer{plan, 60 / random.uniform(96, 124), random.uniform(0.35, 0.85), start.heading, start};
  std::vector<double> weights;
  for (const Choice& c : kMoves) weights.push_back(c.weight);
  const double end = plan.now + seconds;
  while (plan.now < end) {
    // Random walk of the energy.
    dancer.energy = std::clamp(dancer.energy + random.uniform(-0.15, 0.17), 0.25, 0.95);
    plan.hold();
    kMoves[draw_move(random, weights)].move(dancer);
  }
  const double rest = plan.now + 0.8;
  plan.move_root(rest, feet_centre(plan));
  plan.key(kHeight, rest, plan.figure.stand_height);
  for (size_t side = 0; side < kSides; ++side) plan.heel(side, rest, 0);
  plan.relax(rest);
  plan.now = rest + 0.1;
}

}  // namespace billow::motion
