#include "motion/stance.h"

namespace billow::motion {

Place centre(const Score& score) {
  const Place l = score.place(0), r = score.place(1);
  return {0.5 * (l.x + r.x), 0.5 * (l.z + r.z), 0.5 * (l.heading + r.heading)};
}

Place over(const Score& score, size_t side, double share) {
  const Place middle = centre(score), foot = score.place(side);
  return {mix(middle.x, foot.x, share), mix(middle.z, foot.z, share), middle.heading};
}

Fold fold(const Figure& figure, double depth) {
  const double a = length(figure.thigh[0]), b = length(figure.shin[0]), ankle = figure.roll.height(0);
  // Shins lean forward with depth, up to what ankles allow; thighs do the rest.
  const double shin = 24 * kDegree * smooth_step(-0.1, 0.5, depth / figure.leg);
  const double hip = figure.stand_height + figure.hip[0].y - depth, knee = ankle + b * std::cos(shin);
  const double up = std::clamp((hip - knee) / a, -0.2, 1.0), thigh = a * std::sqrt(1 - up * up);
  Fold out;
  out.back = std::max(0.0, thigh - b * std::sin(shin));
  // Keep the masses over the middle of the foot: trunk, head and arms 0.68 of the body, a third of a metre
  // above the hips; thighs 0.2 (Winter, table 4.1).
  const double trunk = 0.34 * figure.size, foot = 0.035 * figure.size;
  const double knees = b * std::sin(shin), legs = 0.2 * (knees - 0.5 * thigh) + 0.12 * 0.5 * knees;
  const double sine = ((foot - legs) / 0.68 + out.back) / trunk;
  const double lean = std::asin(std::clamp(sine, 0.0, 0.94)) * smooth_step(0, 0.12, depth / figure.leg);
  out.tilt = 2 * kDegree + 0.52 * lean;
  out.flex = 0.42 * lean;
  return out;
}

void crouch(Score& score, double time, const Place& at, double depth, double share_of_trunk) {
  const Fold f = fold(score.figure, depth);
  score.move_root(time, beside(at, 0, -f.back));
  score.key(kHeight, time, score.figure.stand_height - depth);
  score.key(kPelvisTilt, time, mix(2 * kDegree, f.tilt, share_of_trunk));
  score.key(kTrunkFlex, time, f.flex * share_of_trunk);
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

}  // namespace billow::motion
