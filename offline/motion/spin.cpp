// Turning on the spot by stepping round.
#include "motion/moves.h"
#include "motion/stance.h"

namespace billow::motion {
namespace {

// Steps round while the heading turns from `start` to `end`.
void step_round(Score& score, const Place& middle, double start, double end, double beat, double sign) {
  const Track& heading = score.channels[kHeading];
  const double size = score.figure.size, stay = 1.24 * beat, to = heading.at(end);
  size_t side = sign > 0 ? 0 : 1;
  StepStyle style;
  style.off_pitch = 30 * kDegree, style.roll = 0.35 * stay;
  style.strike_pitch = 14 * kDegree, style.flat_after = 0.10;
  style.knee = 36 * kDegree, style.knee_share = 0.45;
  int arrived = 0;
  for (double strike = start + 0.4; arrived < 2; strike += beat, side = 1 - side) {
    // A foot comes down ahead of the body's turn, and turns on its ball while the body passes it.
    if (strike > end - 0.2) ++arrived;
    const double turned = heading.at(strike + stay) - heading.at(strike), pivot = arrived ? 0 : 0.5 * turned;
    const Place body{middle.x, middle.z, arrived ? to : heading.at(strike + 0.5 * stay) - 0.5 * pivot};
    const double off = std::max(start + 0.06, strike - 2 * beat + stay);
    score.step(side, off, strike, score.home(side, body, arrived ? 0 : 0.06 * size), style);
    if (pivot != 0) {
      score.heel(side, strike + style.flat_after, 9 * kDegree);
      score.twist(side, strike + 0.02, 0);
      score.twist(side, strike + stay - 0.02, pivot);
    }
    // Sink onto each step, over the foot that bears.
    const double middle_time = strike + 0.45 * beat;
    score.shift_root(middle_time,
                     beside({middle.x, middle.z, heading.at(middle_time)}, sign_of(side) * 0.022 * size, 0));
    score.key(kHeight, strike, score.figure.stand_height - 0.028 * size);
    score.key(kHeight, middle_time, score.figure.stand_height - 0.012 * size);
    score.key(kPelvisList, middle_time, sign_of(side) * 2.5 * kDegree);
    score.key(kTrunkLean, middle_time, sign_of(side) * 2.5 * kDegree);
    score.now = strike;
  }
}

}  // namespace

void spin(Score& score, double turns, double turns_per_second) {
  score.hold();
  Random& random = score.random;
  const double sign = turns > 0 ? 1 : -1, rate = sign * 2 * kPi * turns_per_second, ramp = 0.55;
  const double start = score.now + 0.2;
  const Place middle = centre(score);
  const double from = middle.heading, to = from + 2 * kPi * turns, end = start + (to - from) / rate + ramp;
  turn_heading(score.channels[kHeading], start, ramp, rate, from, to);
  // Arms fly out a little, the head leads.
  for (size_t side = 0; side < kSides; ++side) {
    const ArmPose out =
        arm_pose(random.uniform(5, 20), random.uniform(24, 62), 10, random.uniform(18, 40), 0, 20);
    score.arm(side, start + ramp, out);
    score.arm(side, std::max(start + ramp + 0.1, end - ramp), out);
  }
  for (const double t : {start + ramp, std::max(start + ramp + 0.1, end - ramp)}) {
    score.key(kTrunkFlex, t, 2 * kDegree);
    score.key(kTrunkTurn, t, 0.09 * rate);
    score.gaze(t, 3 * kDegree, 0, sign * 24 * kDegree);
    score.key(kPelvisTilt, t, 3 * kDegree);
  }
  step_round(score, middle, start, end, std::clamp(60 * kDegree / std::fabs(rate), 0.28, 0.5), sign);
  const double rest = std::max(score.now, end) + 0.35;
  score.shift_root(rest, middle);
  score.key(kHeight, rest, score.figure.stand_height);
  score.at_ease(rest + 0.2);
  score.now = rest + 0.25;
}

}  // namespace billow::motion
