// Turning on one foot. Dancers turn at up to two turns a second and leave the head behind as long as they can, to
// whip it round ahead of the body (Laws, "Physics and the Art of Dance", 2002).
#include "motion/moves.h"
#include "motion/stance.h"

namespace billow::motion {
namespace {

constexpr double kRamp = 0.36;           // seconds to come to the full rate, and to rest
constexpr double kPitch = 40 * kDegree;  // of the foot it turns on

// When what happens, and which way it goes.
struct Turn {
  size_t standing, other;                  // feet
  double sign, rate;                       // rad/s
  double plie, push, up, over, down, end;  // seconds
  double from, to;                         // headings
  Place support;                           // the foot it stands on, before
};

// Puts the other foot back and writes the heading.
Turn prepare(Score& score, const Pirouette& plan) {
  Turn turn;
  turn.standing = plan.side, turn.other = 1 - plan.side;
  turn.sign = plan.turns > 0 ? 1 : -1, turn.rate = turn.sign * 2 * kPi * plan.turns_per_second;
  turn.from = centre(score).heading, turn.to = turn.from + 2 * kPi * plan.turns;
  score.fix_twist(turn.standing);
  turn.support = score.place(turn.standing);
  StepStyle style;
  style.knee = 35 * kDegree;
  const double placed = score.now + 0.45, away = -sign_of(turn.standing);
  score.step(
      turn.other, score.now + 0.1, placed,
      beside(turn.support, away * 1.9 * score.figure.stance, -0.22 * score.figure.size, away * 18 * kDegree),
      style);
  turn.plie = placed + 0.2, turn.push = placed + 0.34, turn.up = turn.push + kRamp;
  turn.end = turn_heading(score.channels[kHeading], turn.push, kRamp, turn.rate, turn.from, turn.to);
  turn.over = turn.end - kRamp, turn.down = turn.end - 0.03;
  return turn;
}

// Goes down against the turn, then up onto the toes, over which the body stays.
void rise(Score& score, const Turn& turn) {
  const Figure& figure = score.figure;
  score.shift_root(turn.plie, over(score, turn.standing, 0.25));
  score.key(kHeight, turn.plie, figure.stand_height - 0.09 * figure.size);
  score.key(kTrunkTurn, turn.plie, -turn.sign * 16 * kDegree);
  score.key(kPelvisTilt, turn.plie, 5 * kDegree);
  const D3 toes = figure.roll.contact(kPitch);
  const double high = figure.pelvis_height(5 * kDegree, 0.145 * figure.size, figure.roll.height(kPitch));
  for (const double t : {turn.up, turn.over}) {
    score.shift_root(t, beside(turn.support, sign_of(turn.standing) * toes.x, toes.z - 0.03 * figure.size));
    score.key(kHeight, t, high);
    score.pelvis(t, 0, 2 * kDegree, 0);
    score.trunk(t, -1 * kDegree, 0, turn.sign * 4 * kDegree);
  }
}

// Turns the foot with the body, and only while its heel is up: what touches then does not slide.
void turn_foot(Score& score, const Turn& turn) {
  score.heel(turn.standing, turn.push - 0.04, 0);
  score.heel(turn.standing, turn.push + 0.13, kPitch);
  score.heel(turn.standing, turn.end - 0.02, kPitch);
  score.heel(turn.standing, turn.end + 0.2, 0);
  Contact& contact = score.feet[turn.standing].contacts.back();
  contact.twist_pitch = kPitch;
  contact.twist.key(turn.push + 0.09, 0, 0, 0);
  for (const double t : {turn.up, turn.over})
    contact.twist.key(t, score.value(kHeading, t) - turn.from, turn.rate, 0);
  contact.twist.key(turn.end, turn.to - turn.from, 0, 0);
}

// Keeps looking at one place as long as the neck allows, then at it again from the other side.
void spot(Score& score, const Turn& turn) {
  const Track& heading = score.channels[kHeading];
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
      if (angle <= total) score.gaze(reached(angle), -2 * kDegree, 0, turn.sign * look * kDegree);
    }
}

// Draws the other leg up, its foot at the knee it stands on and its own knee to the side, and puts it down.
void draw_up(Score& score, const Turn& turn, const Place& to) {
  StepStyle style;
  style.off_pitch = 40 * kDegree, style.roll = 0.16;
  style.strike_pitch = 24 * kDegree, style.flat_after = 0.14, style.knee = 0;
  score.step(turn.other, turn.push + 0.12, turn.down, score.home(turn.other, to), style);
  const double from = std::min(turn.up, turn.over - 0.05), until = turn.over + 0.06;
  for (const double t : {from, until}) {
    score.via(turn.other, t, kLegKnee, 114 * kDegree);
    score.via(turn.other, t, kLegForward, 19 * kDegree);
    score.via(turn.other, t, kLegOut, -5 * kDegree);
    score.via(turn.other, t, kLegTurn, 42 * kDegree);
    score.via(turn.other, t, kLegAnkle, -36 * kDegree);
    score.via(turn.other, t, kLegToes, -10 * kDegree);
  }
  score.via(turn.other, 0.5 * (until + turn.down), kLegOut, 5 * kDegree);
}

void write_arms(Score& score, const Turn& turn) {
  const ArmPose round = arm_pose(52, 24, 38, 78, 8, 10), aside = arm_pose(14, 68, 12, 26, 4, 10);
  score.arm(turn.standing, turn.plie, arm_pose(58, 18, 30, 60, 5, 10));
  score.arm(turn.other, turn.plie, aside);
  score.arms(turn.up, round);
  score.arms(turn.over, round);
  score.arms(turn.end - 0.1, aside);
}

}  // namespace

void pirouette(Score& score, const Pirouette& plan) {
  score.hold();
  const Turn turn = prepare(score, plan);
  rise(score, turn);
  turn_foot(score, turn);
  spot(score, turn);
  write_arms(score, turn);
  // Come down with the other foot beside this one.
  const Figure& figure = score.figure;
  const Place to = beside(score.place(turn.standing), -sign_of(turn.standing) * figure.stance, 0);
  draw_up(score, turn, to);
  score.shift_root(turn.end + 0.3, to);
  score.key(kHeight, turn.end + 0.08, figure.stand_height - 0.05 * figure.size);
  score.key(kHeight, turn.end + 0.5, figure.stand_height);
  score.at_ease(turn.end + 0.6);
  score.now = turn.end + 0.65;
}

}  // namespace billow::motion
