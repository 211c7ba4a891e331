// Squats and bends. Speeds are those of unhurried people: 1 to 1.5 s down or up (Escamilla, "Knee biomechanics
// of the dynamic squat exercise", 2001).
#include "motion/moves.h"
#include "motion/stance.h"

namespace billow::motion {
namespace {

// Arms that hang straight down, or reach somewhere, while the trunk is tipped.
ArmPose hanging_from(const Score& score, double tipped, double forward) {
  ArmPose arm = score.hanging;
  arm[kForward] = tipped + forward;
  arm[kOut] = 12 * kDegree;
  arm[kElbow] = 12 * kDegree;
  return arm;
}

// Goes back to standing between the feet.
void rise(Score& score, double time) {
  score.move_root(time, centre(score));
  score.key(kHeight, time, score.figure.stand_height);
  score.at_ease(time + 0.1);
  score.now = time + 0.15;
}

void forward_bend(Score& score) {
  Random& random = score.random;
  const double down = score.now + random.uniform(0.9, 1.4), hold = down + random.uniform(0.2, 0.7);
  const double tilt = random.uniform(30, 52) * kDegree, flex = random.uniform(25, 55) * kDegree;
  const double drop = random.uniform(0.03, 0.12), turn = random.uniform(-14, 14) * kDegree;
  const bool one = random.chance(0.5);
  const size_t reaching = random.chance(0.5) ? 0 : 1;
  for (const double t : {down, hold}) {
    const double more = t == hold ? random.uniform(0.96, 1.04) : 1;
    // The pelvis goes back as the trunk comes forward.
    score.move_root(t, beside(centre(score), 0, -0.20 * std::sin(more * tilt) * score.figure.size));
    score.key(kHeight, t, score.figure.stand_height - drop);
    score.pelvis(t, 0, more * tilt, 0);
    score.trunk(t, more * flex, one ? 0.4 * turn : 0, one ? turn : 0);
    score.gaze(t, 0.75 * (tilt + flex), 0, 0);
    for (size_t side = 0; side < kSides; ++side)
      score.arm(side, t, hanging_from(score, tilt + flex, (!one || side == reaching ? 4 : -14) * kDegree));
  }
  rise(score, hold + random.uniform(0.9, 1.3));
}

void side_bend(Score& score, double sign) {
  Random& random = score.random;
  const double down = score.now + random.uniform(0.8, 1.2), hold = down + random.uniform(0.15, 0.6);
  const double lean = random.uniform(18, 29) * kDegree;
  const bool arm_over = random.chance(0.7);
  for (const double t : {down, hold}) {
    score.move_root(t, beside(centre(score), -sign * 0.05, 0));
    score.key(kHeight, t, score.figure.stand_height - 0.012);
    score.pelvis(t, 0, 2 * kDegree, -sign * random.uniform(3, 6) * kDegree);
    score.trunk(t, random.uniform(0, 4) * kDegree, sign * lean, 0);
    score.gaze(t, 0, sign * 0.6 * lean, 0);
    const size_t upper = sign > 0 ? 1 : 0;
    if (arm_over)
      score.arm(upper, t, arm_pose(-random.uniform(4, 14), random.uniform(140, 154), 0, 35, 10, 0));
    score.arm(1 - upper, t, arm_pose(4, 20, 15, 15));
  }
  rise(score, hold + random.uniform(0.8, 1.2));
}

void trunk_turns(Score& score) {
  Random& random = score.random;
  const int count = 2 + random.below(3);
  double t = score.now, sign = random.sign();
  for (int k = 0; k < count; ++k, sign = -sign) {
    t += random.uniform(0.65, 0.95);
    const double turn = sign * random.uniform(24, 36) * kDegree;
    score.move_root(t, beside(centre(score), sign * 0.02, 0));
    score.pelvis(t, 0.5 * turn, 3 * kDegree, 0);
    score.trunk(t, 2 * kDegree, 0, turn);
    score.gaze(t, 0, 0, 1.3 * turn);
    // Arms swing round with the trunk, one before and one behind the body.
    for (size_t side = 0; side < kSides; ++side) {
      const bool across = sign_of(side) * sign < 0;
      score.arm(side, t + 0.06, across ? arm_pose(58, 26, 25, 62) : arm_pose(-26, 34, 10, 35));
    }
  }
  rise(score, t + random.uniform(0.7, 1));
}

void back_bend(Score& score) {
  Random& random = score.random;
  const double down = score.now + random.uniform(0.9, 1.3), hold = down + random.uniform(0.2, 0.6);
  const double flex = -random.uniform(12, 24) * kDegree, up = random.uniform(135, 158);
  for (const double t : {down, hold}) {
    score.move_root(t, beside(centre(score), 0, 0.05 * score.figure.size));
    score.key(kHeight, t, score.figure.stand_height - 0.015);
    score.pelvis(t, 0, -5 * kDegree, 0);
    score.trunk(t, flex, 0, 0);
    score.gaze(t, -25 * kDegree, 0, 0);
    score.arms(t, arm_pose(up, 16, 0, 22));
  }
  rise(score, hold + random.uniform(0.9, 1.2));
}

}  // namespace

void squat(Score& score) {
  score.hold();
  Random& random = score.random;
  const double down = score.now + random.uniform(0.9, 1.4), hold = down + random.uniform(0.15, 0.8);
  const double depth = random.uniform(0.18, 0.41) * score.figure.size;
  const int style = random.below(3);
  for (const double t : {down, hold}) {
    const double d = depth * (t == hold ? random.uniform(0.96, 1.02) : 1);
    crouch(score, t, centre(score), d);
    score.key(kPelvisList, t, random.uniform(-1, 1) * kDegree);
    const Fold f = fold(score.figure, d);
    score.gaze(t, (style == 1 ? 0.7 : 0.25) * (f.tilt + f.flex), 0, 0);
    if (style == 0) score.arms(t, arm_pose(70 + 20 * random.uniform(0, 1), 12, 5, 10));  // held out
    if (style == 1) score.arms(t, hanging_from(score, f.tilt + f.flex, 10 * kDegree));   // picking up
    if (style == 2)
      score.arms(t, arm_pose(40 + random.uniform(0, 10), 16, 30, 105, 5, 20));  // before the chest
  }
  const double up = hold + random.uniform(0.8, 1.2);
  rise(score, up);
}

void bend(Score& score) {
  score.hold();
  const int which = score.random.below(8);
  if (which < 3) return forward_bend(score);
  if (which < 5) return side_bend(score, score.random.sign());
  if (which < 7) return trunk_turns(score);
  back_bend(score);
}

}  // namespace billow::motion
