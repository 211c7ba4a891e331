// Jumps: down, up, through the air and down again. In the air the pelvis falls freely; people without training
// take off at 2 to 2.8 m/s from a crouch of 0.3 to 0.4 m (Bobbert and van Ingen Schenau, "Coordination in
// vertical jumping", 1988).
#include "motion/moves.h"
#include "motion/stance.h"

namespace billow::motion {
namespace {

// Times and heights of a jump.
struct Arc {
  double bottom, off, down, low, end;        // seconds
  double off_height, down_height, up_speed;  // m, m/s
};

constexpr double kOffPitch = 47 * kDegree;

// Heels are up when the feet come down, less in a jump forward.
double down_pitch(const Jump& plan) { return mix(26, 4, smooth_step(0.1, 0.9, plan.forward)) * kDegree; }

Arc plan_arc(const Score& score, const Jump& plan, double depth) {
  const Figure& f = score.figure;
  Arc arc;
  // Leave with the leg nearly straight over the ball of the foot; come down on it with the knee a little bent.
  arc.off_height = f.pelvis_height(30 * kDegree, 0.03, f.roll.height(kOffPitch));
  arc.down_height = f.pelvis_height((30 + 18 * plan.tuck) * kDegree, 0.05, f.roll.height(down_pitch(plan)));
  arc.up_speed = std::sqrt(2 * kGravity * plan.height);
  const double push = arc.off_height - (f.stand_height - depth);
  arc.bottom = score.now + 0.5;
  arc.off = arc.bottom + 1.75 * push / arc.up_speed;
  const double fall = std::sqrt(2 * kGravity * (plan.height + arc.off_height - arc.down_height));
  arc.down = arc.off + (arc.up_speed + fall) / kGravity;
  arc.low = arc.down + 0.24 + 0.03 * fall;
  arc.end = arc.low + 0.65;
  return arc;
}

void write_pelvis(Score& score, const Jump& plan, const Arc& arc, double depth, double land_depth) {
  const Figure& f = score.figure;
  const Place from = centre(score);
  const double flight = arc.down - arc.off, speed = plan.forward / (flight + 0.35);
  Track& height = score.channels[kHeight];
  height.key(arc.bottom, f.stand_height - depth, 0, 0.8 * arc.up_speed / (arc.off - arc.bottom));
  height.key(arc.off, arc.off_height, arc.up_speed, -kGravity);
  height.key(arc.down, arc.down_height, arc.up_speed - kGravity * flight, -kGravity);
  height.key(arc.low, f.stand_height - land_depth);
  height.key(arc.end, f.stand_height);
  // Over the balls of the feet when they leave, behind the feet when they come down.
  const double off = 0.09 + 0.12 * speed, turned = 0.12 * plan.turn;
  const Place bottom = beside(from, 0, -fold(f, depth).back + 0.04 * speed, -0.06 * plan.turn);
  score.move_root(arc.bottom, bottom);
  const Place leaving = beside(from, 0, off), landing = beside(leaving, 0, speed * flight);
  const double way_x = landing.x - leaving.x, way_z = landing.z - leaving.z;
  const double rate = (0.76 * plan.turn) / flight;
  score.channels[kRootX].key(arc.off, leaving.x, way_x / flight, 0);
  score.channels[kRootZ].key(arc.off, leaving.z, way_z / flight, 0);
  score.channels[kHeading].key(arc.off, from.heading + turned, rate, 0);
  score.channels[kRootX].key(arc.down, landing.x, way_x / flight, 0);
  score.channels[kRootZ].key(arc.down, landing.z, way_z / flight, 0);
  score.channels[kHeading].key(arc.down, from.heading + plan.turn - turned, rate, 0);
}

void write_limbs(Score& score, const Jump& plan, const Arc& arc, double low) {
  const double middle = 0.5 * (arc.off + arc.down);
  const ArmPose back = arm_pose(-36, 14, 10, 24),
                up = arm_pose(plan.star > 0 ? 40 : 62 + 125 * plan.height, 16 + 90 * plan.star, 5, 28),
                down = arm_pose(48, 22, 12, 42);
  score.arms(arc.bottom - 0.14, back);
  score.arms(arc.off + 0.14, up);
  score.arms(arc.down + 0.04, arm_pose(70, 22 + 30 * plan.star, 8, 30));
  score.arms(arc.low + 0.05, down);
  score.pelvis(arc.off, 0, 4 * kDegree, 0);
  score.trunk(arc.off, -5 * kDegree, 0, 0);
  score.pelvis(middle, 0, (3 + 14 * plan.tuck) * kDegree, 0);
  score.trunk(middle, (2 + 18 * plan.tuck) * kDegree, 0, 0);
  score.pelvis(arc.down, 0, 8 * kDegree, 0);
  score.trunk(arc.down, 8 * kDegree, 0, 0);
  const Fold fold_low = fold(score.figure, low);
  score.pelvis(arc.low, 0, fold_low.tilt, 0);
  score.trunk(arc.low, fold_low.flex, 0, 0);
  score.gaze(arc.bottom, 8 * kDegree, 0, 0);
  score.gaze(arc.off, -6 * kDegree, 0, 0.12 * plan.turn);
  score.gaze(arc.down, 14 * kDegree, 0, 0.1 * plan.turn);
  score.gaze(arc.low, 10 * kDegree, 0, 0);
}

void write_feet(Score& score, const Jump& plan, const Arc& arc, const Place& to) {
  StepStyle style;
  style.off_pitch = kOffPitch;
  style.roll = 0.6 * (arc.off - arc.bottom);
  style.strike_pitch = down_pitch(plan);
  style.flat_after = 0.11;
  style.knee = 0;
  const double middle = 0.5 * (arc.off + arc.down);
  for (size_t side = 0; side < kSides; ++side) {
    score.step(side, arc.off, arc.down, score.home(side, to, 0.03 + 0.02 * plan.star), style);
    score.via(side, middle, kLegKnee, (18 + 80 * plan.tuck) * kDegree);
    score.via(side, middle, kLegForward, (-3 + 34 * plan.tuck) * kDegree);
    score.via(side, middle, kLegOut, (1 + 26 * plan.star) * kDegree);
    score.via(side, middle, kLegAnkle, -26 * kDegree);
    score.via(side, middle, kLegToes, 0);
  }
}

}  // namespace

void jump(Score& score, const Jump& plan) {
  score.hold();
  const Place from = centre(score);
  const double depth = (0.2 + 0.35 * plan.height) * score.figure.size,
               low = (0.12 + 0.4 * plan.height) * score.figure.size;
  const Arc arc = plan_arc(score, plan, depth);
  const Fold down = fold(score.figure, depth);
  score.key(kPelvisTilt, arc.bottom, down.tilt);
  score.key(kTrunkFlex, arc.bottom, down.flex);
  score.key(kTrunkTurn, arc.bottom, -0.1 * plan.turn);
  score.key(kTrunkTurn, arc.off, 0.1 * plan.turn);
  write_pelvis(score, plan, arc, depth, low);
  write_limbs(score, plan, arc, low);
  // The feet come down ahead of the body, which is still moving.
  const Place landing = score.root(arc.down);
  const double speed = plan.forward / (arc.down - arc.off + 0.35);
  Place to = beside({landing.x, landing.z, from.heading}, 0, 0.17 * speed - 0.06);
  to.heading = from.heading + plan.turn;
  write_feet(score, plan, arc, to);
  score.move_root(arc.low, beside(to, 0, -fold(score.figure, low).back));
  score.move_root(arc.end, to);
  score.at_ease(arc.end + 0.15);
  score.now = arc.end + 0.2;
}

Jump random_jump(Random& random) {
  Jump plan;
  plan.height = random.uniform(0.14, 0.36);
  if (random.chance(0.45)) plan.forward = random.uniform(0.3, 1.0);
  if (random.chance(0.4)) plan.turn = random.sign() * random.uniform(45, 180) * kDegree;
  if (random.chance(0.3)) plan.tuck = random.uniform(0.3, 1);
  if (plan.tuck == 0 && plan.turn == 0 && random.chance(0.3)) plan.star = random.uniform(0.4, 1);
  return plan;
}

}  // namespace billow::motion
