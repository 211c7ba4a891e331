// Jumps: crouch, push-off, flight, landing. In flight the pelvis moves ballistically. Untrained people take
// off at 2 to 2.8 m/s from a crouch of 0.3 to 0.4 m (Bobbert and van Ingen Schenau, "Coordination in vertical
// jumping", 1988).
#include "motion/moves.h"

namespace billow::motion {
namespace {

// Times of the phases of a jump, and heights of the pelvis.
struct JumpTimes {
  double bottom, off, down, low, end;        // seconds
  double off_height, down_height, up_speed;  // m, m/s
};

constexpr double kOffPitch = 47 * kDegree;

// Foot pitch at landing: on the balls of the feet, less so in a forward jump.
double down_pitch(const Jump& options) {
  return mix(26, 4, smooth_step(0.1, 0.9, options.forward)) * kDegree;
}

JumpTimes plan_times(const MotionPlan& plan, const Jump& options, double depth) {
  const Figure& f = plan.figure;
  JumpTimes times;
  // Take off with the leg nearly straight over the ball of the foot; land on it with the knee slightly
  // flexed.
  times.off_height = f.pelvis_height(30 * kDegree, 0.03, f.roll.height(kOffPitch));
  times.down_height =
      f.pelvis_height((30 + 18 * options.tuck) * kDegree, 0.05, f.roll.height(down_pitch(options)));
  times.up_speed = std::sqrt(2 * kGravity * options.height);
  const double push = times.off_height - (f.stand_height - depth);
  times.bottom = plan.now + 0.5;
  times.off = times.bottom + 1.75 * push / times.up_speed;
  const double fall = std::sqrt(2 * kGravity * (options.height + times.off_height - times.down_height));
  times.down = times.off + (times.up_speed + fall) / kGravity;
  times.low = times.down + 0.24 + 0.03 * fall;
  times.end = times.low + 0.65;
  return times;
}

void write_pelvis(MotionPlan& plan, const Jump& options, const JumpTimes& times, double depth,
                  double land_depth) {
  const Figure& f = plan.figure;
  const GroundPose from = feet_centre(plan);
  const double flight = times.down - times.off, speed = options.forward / (flight + 0.35);
  Track& height = plan.channels[kHeight];
  height.key(times.bottom, f.stand_height - depth, 0, 0.8 * times.up_speed / (times.off - times.bottom));
  height.key(times.off, times.off_height, times.up_speed, -kGravity);
  height.key(times.down, times.down_height, times.up_speed - kGravity * flight, -kGravity);
  height.key(times.low, f.stand_height - land_depth);
  height.key(times.end, f.stand_height);
  // The body is over the balls of the feet at take-off and behind the feet at landing.
  const double off = 0.09 + 0.12 * speed, turned = 0.12 * options.turn;
  const GroundPose bottom = offset_pose(from, 0, -fold(f, depth).back + 0.04 * speed, -0.06 * options.turn);
  plan.move_root(times.bottom, bottom);
  const GroundPose leaving = offset_pose(from, 0, off), landing = offset_pose(leaving, 0, speed * flight);
  const double way_x = landing.x - leaving.x, way_z = landing.z - leaving.z;
  const double rate = (0.76 * options.turn) / flight;
  plan.channels[kRootX].key(times.off, leaving.x, way_x / flight, 0);
  plan.channels[kRootZ].key(times.off, leaving.z, way_z / flight, 0);
  plan.channels[kHeading].key(times.off, from.heading + turned, rate, 0);
  plan.channels[kRootX].key(times.down, landing.x, way_x / flight, 0);
  plan.channels[kRootZ].key(times.down, landing.z, way_z / flight, 0);
  plan.channels[kHeading].key(times.down, from.heading + options.turn - turned, rate, 0);
}

void write_limbs(MotionPlan& plan, const Jump& options, const JumpTimes& times, double low) {
  const double middle = 0.5 * (times.off + times.down);
  const ArmPose back = arm_pose(-36, 14, 10, 24),
                up = arm_pose(options.star > 0 ? 40 : 62 + 125 * options.height, 16 + 90 * options.star, 5,
                              28),
                down = arm_pose(48, 22, 12, 42);
  plan.arms(times.bottom - 0.14, back);
  plan.arms(times.off + 0.14, up);
  plan.arms(times.down + 0.04, arm_pose(70, 22 + 30 * options.star, 8, 30));
  plan.arms(times.low + 0.05, down);
  plan.pelvis(times.off, 0, 4 * kDegree, 0);
  plan.trunk(times.off, -5 * kDegree, 0, 0);
  plan.pelvis(middle, 0, (3 + 14 * options.tuck) * kDegree, 0);
  plan.trunk(middle, (2 + 18 * options.tuck) * kDegree, 0, 0);
  plan.pelvis(times.down, 0, 8 * kDegree, 0);
  plan.trunk(times.down, 8 * kDegree, 0, 0);
  const Fold fold_low = fold(plan.figure, low);
  plan.pelvis(times.low, 0, fold_low.tilt, 0);
  plan.trunk(times.low, fold_low.flex, 0, 0);
  plan.gaze(times.bottom, 8 * kDegree, 0, 0);
  plan.gaze(times.off, -6 * kDegree, 0, 0.12 * options.turn);
  plan.gaze(times.down, 14 * kDegree, 0, 0.1 * options.turn);
  plan.gaze(times.low, 10 * kDegree, 0, 0);
}

void write_feet(MotionPlan& plan, const Jump& options, const JumpTimes& times, const GroundPose& to) {
  StepStyle style;
  style.off_pitch = kOffPitch;
  style.roll = 0.6 * (times.off - times.bottom);
  style.strike_pitch = down_pitch(options);
  style.flat_after = 0.11;
  style.knee = 0;
  const double middle = 0.5 * (times.off + times.down);
  for (size_t side = 0; side < kSides; ++side) {
    plan.step(side, times.off, times.down, plan.stance_pose(side, to, 0.03 + 0.02 * options.star), style);
    plan.via(side, middle, kLegKnee, (18 + 80 * options.tuck) * kDegree);
    plan.via(side, middle, kLegForward, (-3 + 34 * options.tuck) * kDegree);
    plan.via(side, middle, kLegOut, (1 + 26 * options.star) * kDegree);
    plan.via(side, middle, kLegAnkle, -26 * kDegree);
    plan.via(side, middle, kLegToes, 0);
  }
}

}  // namespace

void jump(MotionPlan& plan, const Jump& options) {
  plan.hold();
  const GroundPose from = feet_centre(plan);
  const double depth = (0.2 + 0.35 * options.height) * plan.figure.size,
               low = (0.12 + 0.4 * options.height) * plan.figure.size;
  const JumpTimes times = plan_times(plan, options, depth);
  const Fold down = fold(plan.figure, depth);
  plan.key(kPelvisTilt, times.bottom, down.tilt);
  plan.key(kTrunkFlex, times.bottom, down.flex);
  plan.key(kTrunkTurn, times.bottom, -0.1 * options.turn);
  plan.key(kTrunkTurn, times.off, 0.1 * options.turn);
  write_pelvis(plan, options, times, depth, low);
  write_limbs(plan, options, times, low);
  // The feet land ahead of the body, which is still moving.
  const GroundPose landing = plan.root(times.down);
  const double speed = options.forward / (times.down - times.off + 0.35);
  GroundPose to = offset_pose({landing.x, landing.z, from.heading}, 0, 0.17 * speed - 0.06);
  to.heading = from.heading + options.turn;
  write_feet(plan, options, times, to);
  plan.move_root(times.low, offset_pose(to, 0, -fold(plan.figure, low).back));
  plan.move_root(times.end, to);
  plan.relax(times.end + 0.15);
  plan.now = times.end + 0.2;
}

Jump random_jump(Random& random) {
  Jump options;
  options.height = random.uniform(0.14, 0.36);
  if (random.chance(0.45)) options.forward = random.uniform(0.3, 1.0);
  if (random.chance(0.4)) options.turn = random.sign() * random.uniform(45, 180) * kDegree;
  if (random.chance(0.3)) options.tuck = random.uniform(0.3, 1);
  if (options.tuck == 0 && options.turn == 0 && random.chance(0.3)) options.star = random.uniform(0.4, 1);
  return options;
}

}  // namespace billow::motion
