// Moves of a dance that travel or turn.
#include "motion/dancer.h"
#include "motion/moves.h"
#include "motion/stance.h"

namespace billow::motion {
namespace {

// Bounces: down on the beat, up between.
void bounce(Dancer& d, double time, double down) {
  d.score.key(kHeight, time, d.score.figure.stand_height - down * d.score.figure.size);
}

// Which way leads back to the stage along a direction: +1 or -1; near the middle either.
double way_back(Dancer& d, double heading) {
  const Place at = centre(d.score);
  const double along = (d.stage.x - at.x) * std::sin(heading) + (d.stage.z - at.z) * std::cos(heading);
  return std::fabs(along) < 0.3 ? d.random().sign() : along > 0 ? 1 : -1;
}

// `before`: the foot leaves from before the body, flat.
StepStyle dance_step(double knee, bool before = false) {
  StepStyle style;
  style.off_pitch = (before ? 2 : 32) * kDegree, style.roll = 0.14;
  style.strike_pitch = 16 * kDegree, style.flat_after = 0.11;
  style.knee = knee * kDegree, style.knee_share = 0.45;
  return style;
}

// Sways hips and shoulders over a foot.
void sway(Dancer& d, double time, size_t side, double amount, double share) {
  const double s = sign_of(side);
  d.score.move_root(time, over(d.score, side, share));
  d.score.pelvis(time, -s * d.random().uniform(0, 8) * amount * kDegree, 3 * kDegree,
                 s * 4.5 * amount * kDegree);
  d.score.trunk(time, d.random().uniform(-2, 5) * kDegree, s * d.random().uniform(4, 12) * amount * kDegree,
                s * d.random().uniform(-4, 10) * amount * kDegree);
}

}  // namespace

void side_steps(Dancer& d) {
  Score& score = d.score;
  const int pairs = 1 + d.random().below(2);
  for (int k = 0; k < pairs; ++k) {
    const double left = way_back(d, d.facing + kPi / 2), t = score.now, b = d.beat;
    const size_t lead = left > 0 ? 0 : 1, other = 1 - lead;
    const double wide = d.large(0.22, 0.40) * score.figure.size, knee = d.large(28, 55);
    // Out with one foot...
    score.step(lead, t + 0.2 * b, t + 0.85 * b,
               beside(score.place(lead), left * wide, d.random().uniform(-0.08, 0.08)), dance_step(knee));
    bounce(d, t + 0.85 * b, d.large(0.03, 0.07));
    sway(d, t + 1.05 * b, lead, d.large(0.5, 1.3), 0.6);
    bounce(d, t + 1.25 * b, 0.012);
    if (d.random().chance(0.7)) arms_somewhere(d, t + 1.0 * b);
    // ...and the other beside it, or crossed behind.
    const double apart = left * -2 * score.figure.stance * d.random().uniform(1.0, 1.25);
    score.step(other, t + 1.2 * b, t + 1.88 * b,
               beside(score.place(lead), apart, d.random().uniform(-0.12, 0.06)), dance_step(knee));
    bounce(d, t + 1.88 * b, d.large(0.03, 0.06));
    sway(d, t + 2.1 * b, other, d.large(0.3, 0.9), 0.3);
    score.key(kGazeTurn, t + 1.0 * b, left * d.random().uniform(0, 30) * kDegree);
    score.now = t + 2 * b;
  }
}

void walk_steps(Dancer& d) {
  Score& score = d.score;
  const int steps = 2 + d.random().below(3);
  const double ahead = way_back(d, d.facing);
  size_t side = d.random().chance(0.5) ? 0 : 1;
  for (int k = 0; k < steps; ++k, side = 1 - side) {
    const double t = score.now, b = d.beat,
                 length = (ahead > 0 ? d.large(0.22, 0.42) : -d.large(0.14, 0.24)) * score.figure.size;
    const Place from = score.place(1 - side);
    // The last step closes beside the other foot.
    const double go_on = k + 1 == steps ? d.random().uniform(-0.05, 0.05) : length;
    score.step(side, t + 0.22 * b, t + 0.85 * b, beside(from, sign_of(side) * 2 * score.figure.stance, go_on),
               dance_step(d.large(28, 48), ahead < 0));
    bounce(d, t + 0.85 * b, d.large(0.03, 0.055));
    sway(d, t + 1.02 * b, side, d.large(0.5, 1.2), 0.62);
    bounce(d, t + 1.2 * b, 0.01);
    if (k % 2 == 0) arms_somewhere(d, t + 0.9 * b);
    score.gaze(t + 0.9 * b, d.random().uniform(-4, 8) * kDegree, 0, d.random().uniform(-22, 22) * kDegree);
    score.now = t + b;
  }
}

void lunge(Dancer& d) {
  Score& score = d.score;
  const double t = score.now, b = d.beat, size = score.figure.size;
  const bool aside = d.random().chance(0.45);
  const double far = (aside ? d.large(0.36, 0.55) : d.large(0.45, 0.66)) * size,
               down = d.large(0.12, 0.25) * size;
  size_t lead = d.random().chance(0.5) ? 0 : 1;
  if (aside) lead = way_back(d, d.facing + kPi / 2) > 0 ? 0 : 1;
  const size_t other = 1 - lead;
  const double s = sign_of(lead), ahead = aside ? 0.04 : far;
  const Place home = score.place(lead);
  score.step(lead, t + 0.25 * b, t + 0.95 * b,
             beside(home, s * (aside ? far : 0.03), ahead, s * (aside ? 14 : 0) * kDegree),
             dance_step(d.large(40, 70)));
  // Sink over the leading foot; the heel behind comes up.
  const double deep = t + d.random().uniform(1.35, 1.7) * b, hold = deep + d.random().uniform(0.15, 0.8) * b;
  for (const double at : {deep, hold}) {
    Place root = over(score, lead, aside ? 0.52 : 0.22);
    score.move_root(at, root);
    score.key(kHeight, at, score.figure.stand_height - down * (at == hold ? 1.06 : 1));
    score.pelvis(at, aside ? 0 : -s * 8 * kDegree, (aside ? 8 : 5) * kDegree, 0);
    score.trunk(at, d.random().uniform(-6, 12) * kDegree,
                s * d.random().uniform(aside ? 4 : -6, 12) * kDegree,
                s * d.random().uniform(-22, 22) * kDegree);
    score.gaze(at, d.random().uniform(-8, 8) * kDegree, 0, d.random().uniform(-30, 30) * kDegree);
  }
  if (!aside) {
    score.heel(other, t + 0.7 * b, 0);
    score.heel(other, deep, d.random().uniform(24, 34) * kDegree);
    score.heel(other, hold, 32 * kDegree);
  }
  arms_somewhere(d, deep);
  // Push back, or bring the other foot up to the leading one; rise only once the foot is off.
  const double back = hold + 0.35 * b, there = hold + 1.1 * b;
  score.key(kHeight, back + 0.05 * b, score.figure.stand_height - 0.85 * down);
  if (d.random().chance(0.5)) {
    score.heel(other, back + 0.1 * b, 0);
    score.step(lead, back, there, beside(score.place(other), s * 2 * score.figure.stance, 0.02),
               dance_step(45, !aside));
  } else {
    score.step(other, back, there,
               beside(beside(score.place(lead), 0, 0, -s * (aside ? 14 : 0) * kDegree),
                      -s * 2 * score.figure.stance, 0),
               dance_step(48));
  }
  bounce(d, there + 0.15 * b, 0.02);
  score.move_root(there + 0.2 * b, centre(score));
  score.now = t + std::ceil((there - t) / b + 0.15) * b;
}

void pivot_turn(Dancer& d) {
  Score& score = d.score;
  const double t = score.now, b = d.beat, sign = d.random().sign();
  // Step ahead, turn on the toes of both feet, and close.
  const size_t lead = sign > 0 ? 1 : 0, other = 1 - lead;
  const double s = sign_of(lead), turn = sign * d.random().uniform(70, 125) * kDegree;
  score.fix_twist(other);
  const Place from = score.place(other);
  score.step(lead, t + 0.2 * b, t + 0.85 * b, beside(from, s * score.figure.stance, d.large(0.22, 0.3)),
             dance_step(38));
  score.now = t + 0.9 * b;
  const double start = t + 1.0 * b, end = t + 1.95 * b, heading = centre(score).heading;
  score.move_root(start, over(score, lead, 0.1));
  for (size_t side = 0; side < kSides; ++side) {
    // Up on the toes before the turn, down after it.
    if (side == lead) {
      score.heel(side, t + 0.85 * b + dance_step(0).flat_after, 15 * kDegree);
    } else {
      score.heel(side, start - 0.12, 0);
      score.heel(side, start + 0.06, 15 * kDegree);
    }
    score.heel(side, end - 0.02, 15 * kDegree);
    score.heel(side, end + 0.16, 0);
    score.twist(side, start + 0.05, 0);
    score.twist(side, end - 0.03, 0.92 * turn);
  }
  bounce(d, start + 0.05, 0.005);
  score.key(kHeading, start, heading);
  score.key(kHeading, end, heading + turn);
  score.key(kTrunkTurn, start + 0.12, 0.12 * turn);
  score.key(kTrunkTurn, end + 0.2, 0);
  score.key(kGazeTurn, start + 0.15 * b, 0.25 * turn);
  score.key(kGazeTurn, end, 0);
  arms_somewhere(d, 0.5 * (start + end));
  d.facing += turn;
  const Place middle{centre(score).x, centre(score).z, heading + turn};
  score.shift_root(0.5 * (start + end), middle);
  bounce(d, end + 0.1, 0.03);
  // Close.
  Place to_lead = over(score, lead, 0.5);
  to_lead.heading = heading + turn;
  score.shift_root(t + 2.25 * b, to_lead);
  score.step(
      other, t + 2.15 * b, t + 2.85 * b,
      beside({score.place(lead).x, score.place(lead).z, heading + turn}, -s * 2 * score.figure.stance, 0),
      dance_step(50, true));
  score.via(other, t + 2.45 * b, kLegOut, 9 * kDegree);  // past the other leg
  score.move_root(t + 3.1 * b, {centre(score).x, centre(score).z, heading + turn});
  score.now = t + 3 * b;
}

void dance_pirouette(Dancer& d) {
  Score& score = d.score;
  const double turns = 1 + d.random().below(d.energy > 0.6 ? 3 : 2), sign = d.random().sign();
  pirouette(score,
            {d.random().chance(0.5) ? size_t{0} : size_t{1}, sign * turns, d.random().uniform(1.1, 1.9)});
  d.facing += sign * turns * 2 * kPi;
}

void dance_jump(Dancer& d) {
  Jump plan;
  plan.height = d.large(0.08, 0.26);
  if (d.random().chance(0.5)) plan.turn = d.random().sign() * d.random().uniform(60, 180) * kDegree;
  if (d.random().chance(0.4)) plan.forward = d.random().uniform(0.2, 0.6);
  if (plan.turn == 0 && d.random().chance(0.5)) plan.star = d.random().uniform(0.3, 1);
  jump(d.score, plan);
  d.facing += plan.turn;
}

}  // namespace billow::motion
