// Standing, as people do who wait: the centre of pressure wanders some millimetres and the trunk breathes 15
// times a minute (Winter, "A.B.C. of Balance during Standing and Walking", 1995); every few seconds the weight
// goes from one leg to the other (Duarte and Zatsiorsky, "Patterns of center of pressure migration during
// prolonged unconstrained standing", 1999).
#include "motion/moves.h"
#include "motion/stance.h"

namespace billow::motion {
namespace {

// Looks somewhere; eyes lead, the trunk follows a little.
void look(Score& score, double from, double seconds, double turn, double flex) {
  const double to = from + seconds;
  score.key(kGazeTurn, from, score.value(kGazeTurn, from));
  score.key(kGazeFlex, from, score.value(kGazeFlex, from));
  score.key(kTrunkTurn, from, score.value(kTrunkTurn, from));
  score.key(kGazeTurn, to, turn);
  score.key(kGazeFlex, to, flex);
  score.key(kGazeLean, to, 0.06 * turn);
  score.key(kTrunkTurn, to + 0.15, 0.18 * turn);
}

}  // namespace

void stand(Score& score, double seconds) {
  score.hold();
  Random& random = score.random;
  const double from = score.now, to = from + seconds, breath = random.uniform(3.2, 4.6);
  const Place middle = centre(score);
  double side = 0, next_shift = from + random.uniform(0.6, 2), next_look = from + random.uniform(0.3, 1.5);
  double arms_at = from + random.uniform(1, 3), t = from;
  while (t < to) {
    t += random.uniform(0.55, 0.85);
    if (t > next_shift) {
      // Put the weight on one leg, or on both.
      side = random.chance(0.25) ? 0 : random.uniform(0.35, 1) * (side > 0 ? -1 : 1);
      next_shift = t + random.uniform(2.5, 6);
      t += 0.5;
    }
    const double aside = 0.042 * score.figure.size * side + random.uniform(-0.005, 0.005);
    score.move_root(t, beside(middle, aside, random.uniform(-0.012, 0.012)));
    score.key(kHeight, t, score.figure.stand_height - 0.012 * std::fabs(side) - random.uniform(0, 0.003));
    score.pelvis(t, random.uniform(-1.5, 1.5) * kDegree, random.uniform(1, 4) * kDegree,
                 (3.2 * side + random.uniform(-0.4, 0.4)) * kDegree);
    score.key(kTrunkLean, t, (3.6 * side + random.uniform(-0.5, 0.5)) * kDegree);
    score.key(kTrunkFlex, t, (0.8 * std::sin(2 * kPi * t / breath) + random.uniform(-0.4, 0.8)) * kDegree);
    if (t > next_look) {
      look(score, t, random.uniform(0.4, 0.7), random.uniform(-38, 38) * kDegree,
           random.uniform(-6, 12) * kDegree);
      next_look = t + random.uniform(1.2, 3.5);
    }
    if (t > arms_at) {
      for (size_t s = 0; s < kSides; ++s) {
        ArmPose arm = score.hanging;
        arm[kForward] += random.uniform(-5, 8) * kDegree;
        arm[kElbow] += random.uniform(-6, 14) * kDegree;
        arm[kArmTurn] += random.uniform(-8, 8) * kDegree;
        score.arm(s, t, arm);
      }
      arms_at = t + random.uniform(1.5, 3.5);
    }
  }
  score.now = t + 0.3;
}

}  // namespace billow::motion
