#include "motion/motion_plan.h"

#include <algorithm>

namespace billow::motion {
namespace {

// Amplitude of postural sway: millimetres of the pelvis, up to a degree of trunk, gaze and arms, as measured
// in quiet standing (Winter, "A.B.C. of Balance during Standing and Walking", 1995).
double sway_amplitude(size_t channel) {
  switch (channel) {
    case kRootX:
    case kRootZ:
      return 0.002;
    case kHeight:
    case kHeading:
      return 0;
    case kPelvisTurn:
    case kPelvisTilt:
    case kPelvisList:
      return 0.2 * kDegree;
    case kGazeFlex:
    case kGazeLean:
    case kGazeTurn:
      return 0.9 * kDegree;
    default:
      return channel < kArms ? 0.45 * kDegree : 0.8 * kDegree;
  }
}

}  // namespace

GroundPose offset_pose(const GroundPose& pose, double left, double ahead, double turn) {
  const double s = std::sin(pose.heading), c = std::cos(pose.heading);
  return {pose.x + left * c + ahead * s, pose.z - left * s + ahead * c, pose.heading + turn};
}

GroundPose Contact::twisted(const Figure& figure, size_t side, double time) const {
  const double angle = twist.at(time);
  if (angle == 0) return pose;
  const D3 pivot = figure.roll.contact(twist_pitch);
  const double left = sign_of(side) * pivot.x;
  return offset_pose(offset_pose(pose, left, pivot.z, angle), -left, -pivot.z);
}

MotionPlan::MotionPlan(const Figure& of, uint32_t seed) : figure(of), random(seed) {
  // Draw a relaxed arm pose, slightly bent and clear of the hips.
  const double build = std::max(0.0, static_cast<double>(figure.person.shape.build));
  hanging[kForward] = random.uniform(0, 6) * kDegree;
  hanging[kOut] = (random.uniform(7, 10) + 4 * build) * kDegree;
  hanging[kArmTurn] = random.uniform(5, 20) * kDegree;
  hanging[kElbow] = random.uniform(12, 22) * kDegree;
  hanging[kWrist] = random.uniform(0, 8) * kDegree;
  hanging[kPalm] = random.uniform(0, 15) * kDegree;
  for (double& phase : phase_) phase = random.uniform(0, 1000);
  move_root(0, {});
  key(kHeight, 0, figure.stand_height);
  relax(0);
  for (size_t side = 0; side < kSides; ++side)
    feet[side].contacts.push_back({-kForever, kForever, stance_pose(side, {}), {}, {}, 10 * kDegree});
}

void MotionPlan::key(Channel channel, double time, double value) {
  constexpr double kMinInterval = 0.028;
  channels[channel].erase(time - kMinInterval, time + kMinInterval);
  channels[channel].key(time, value);
}

double MotionPlan::value_with_sway(Channel channel, double time) const {
  // Sum three sines with incommensurate periods, about as long as a breath.
  const double t = 1.7 * (time + phase_[channel]);
  const double wave =
      0.5 * std::sin(t) + 0.3 * std::sin(std::sqrt(2.0) * t) + 0.2 * std::sin(std::sqrt(7.0) * t);
  return value(channel, time) + sway_amplitude(channel) * wave;
}

void MotionPlan::hold() {
  for (Track& track : channels) {
    const double value = track.at(now);
    track.cut(now);
    track.key(now, value);
  }
}

void MotionPlan::move_root(double time, const GroundPose& root) {
  shift_root(time, root);
  key(kHeading, time, root.heading);
}

void MotionPlan::shift_root(double time, const GroundPose& root) {
  key(kRootX, time, root.x);
  key(kRootZ, time, root.z);
}

void MotionPlan::arm(size_t side, double time, const ArmPose& pose) {
  for (size_t k = 0; k < kArmAngles; ++k) key(arm_channel(side, k), time, pose[k]);
}

void MotionPlan::arms(double time, const ArmPose& both) {
  for (size_t side = 0; side < kSides; ++side) arm(side, time, both);
}

void MotionPlan::trunk(double time, double flex, double lean, double turn) {
  key(kTrunkFlex, time, flex);
  key(kTrunkLean, time, lean);
  key(kTrunkTurn, time, turn);
}

void MotionPlan::pelvis(double time, double turn, double tilt, double list) {
  key(kPelvisTurn, time, turn);
  key(kPelvisTilt, time, tilt);
  key(kPelvisList, time, list);
}

void MotionPlan::gaze(double time, double flex, double lean, double turn) {
  key(kGazeFlex, time, flex);
  key(kGazeLean, time, lean);
  key(kGazeTurn, time, turn);
}

void MotionPlan::relax(double time) {
  pelvis(time, 0, 2 * kDegree, 0);
  trunk(time, 0, 0, 0);
  gaze(time, 0, 0, 0);
  arms(time, hanging);
}

GroundPose MotionPlan::root(double time) const {
  return {value(kRootX, time), value(kRootZ, time), value(kHeading, time)};
}

GroundPose MotionPlan::foot_pose(size_t side) const {
  return feet[side].contacts.back().twisted(figure, side, kForever);
}

GroundPose MotionPlan::stance_pose(size_t side, const GroundPose& root, double extra_width) const {
  return offset_pose(root, sign_of(side) * (figure.stance + extra_width), 0);
}

void MotionPlan::lift(size_t side, double time, const StepStyle& style) {
  Contact& c = feet[side].contacts.back();
  c.to = time;
  const double before = std::max(c.from + 0.02, time - style.roll);
  c.pitch.cut(before);
  if (c.pitch.empty() || c.pitch.last_time() < before) c.pitch.key(before, c.pitch.at(before));
  // Accelerate: the heel is still rising at toe-off.
  const double rise = style.off_pitch - c.pitch.at(before), seconds = time - before;
  c.pitch.key(time, style.off_pitch, 2.0 * rise / seconds, 1.0 * rise / (seconds * seconds));
}

void MotionPlan::plant(size_t side, double time, const GroundPose& pose, const StepStyle& style) {
  Contact c{time, kForever, pose, {}, {}, 10 * kDegree};
  if (style.strike_pitch != 0) {
    // Strike while already rolling, and come to rest flat.
    c.pitch.key(time, style.strike_pitch, -1.3 * style.strike_pitch / style.flat_after, 0);
    c.pitch.key(time + style.flat_after, 0, 0, 0);
  }
  feet[side].contacts.push_back(c);
}

void MotionPlan::step(size_t side, double off, double down, const GroundPose& pose, const StepStyle& style) {
  lift(side, off, style);
  plant(side, down, pose, style);
  if (style.knee > 0) via(side, mix(off, down, style.knee_share), kLegKnee, style.knee);
}

void MotionPlan::via(size_t side, double time, SwingAngle angle, double value) {
  feet[side].vias.push_back({time, angle, value});
}

void MotionPlan::heel(size_t side, double time, double pitch) {
  Contact& c = feet[side].contacts.back();
  if (c.pitch.empty()) c.pitch.key(std::max(c.from, now), 0);
  c.pitch.key(time, pitch);
}

void MotionPlan::twist(size_t side, double time, double angle) {
  Contact& c = feet[side].contacts.back();
  if (c.twist.empty()) c.twist.key(std::max(c.from, now), 0);
  c.twist.key(time, angle);
}

void MotionPlan::fix_twist(size_t side) {
  Contact& last = feet[side].contacts.back();
  if (last.twist.empty()) return;
  Contact next = last;
  next.pose = last.twisted(figure, side, now);
  next.from = last.to = now;
  next.twist = {};
  feet[side].contacts.push_back(next);
}

}  // namespace billow::motion
