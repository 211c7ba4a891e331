// Solves a motion plan for poses: legs by Legs, then trunk, gaze and arms.
#include <algorithm>
#include <string>

#include "body/surface.h"
#include "motion/legs.h"
#include "motion/motion_plan.h"

namespace billow::motion {
namespace {

constexpr const char* kSpine[] = {"spine_lower", "spine_upper", "chest"};

// Smooth saturation of an angle at +-limit.
double soft_clamp(double angle, double limit) { return limit * std::tanh(angle / limit); }

class PoseSolver {
 public:
  PoseSolver(const MotionPlan& plan, double from, double to)
      : plan_(plan), skeleton_(plan.figure.person.skeleton), legs_(plan, from, to) {
    clear_arms(from, to);
  }

  body::Pose pose(double time) const { return pose(time, {abduction_[0].at(time), abduction_[1].at(time)}); }

 private:
  body::Pose pose(double time, const std::array<double, kSides>& arms_out) const;
  void set_arm(body::Pose& pose, size_t side, double time, double out) const;
  void clear_arms(double from, double to);
  double arm_depth(const body::Surface& body, const std::vector<Transform>& joints, size_t side) const;
  void set(body::Pose& pose, const std::string& joint, const Rotation& turn) const {
    pose.rotations[static_cast<size_t>(skeleton_.at(joint))] = to_quat(turn);
  }
  double value(Channel c, double time) const { return plan_.value_with_sway(c, time); }

  const MotionPlan& plan_;
  const body::Skeleton& skeleton_;
  Legs legs_;
  std::array<SampledCurve, kSides> abduction_;  // extra abduction of the arms that avoids the body
};

body::Pose PoseSolver::pose(double t, const std::array<double, kSides>& arms_out) const {
  body::Pose pose = body::rest_pose(skeleton_);
  const Frame pelvis = legs_.pelvis(t);
  pose.root_position = to_float(pelvis.position);
  pose.rotations[0] = to_quat(pelvis.rotation);

  // Divide the trunk's angles among its three joints.
  const Rotation third =
      from_xzy({value(kTrunkFlex, t) / 3, -value(kTrunkLean, t) / 3, value(kTrunkTurn, t) / 3});
  for (const char* joint : kSpine) set(pose, joint, third);

  // Orient the head by the gaze channels, independent of the trunk.
  const Rotation chest = pelvis.rotation * third * third * third;
  const Rotation gaze = about_y(value(kHeading, t) + value(kGazeTurn, t)) * about_x(value(kGazeFlex, t)) *
                        about_z(-value(kGazeLean, t));
  const AnglesXzy head = angles_xzy(transposed(chest) * gaze);
  const Rotation half =
      from_xzy({0.5 * soft_clamp(head.x, 40 * kDegree), 0.5 * soft_clamp(head.z, 28 * kDegree),
                0.5 * soft_clamp(head.y, 66 * kDegree)});
  set(pose, "neck", half);
  set(pose, "head", half);

  for (size_t side = 0; side < kSides; ++side) {
    const std::string name = kSideNames[side];
    const LegAngles a = legs_.angles(side, t);
    const double s = sign_of(side);
    set(pose, name + "thigh", from_xzy({-a[kHip], s * a[kAbduct], s * a[kHipTurn]}));
    set(pose, name + "calf", about_x(a[kKnee]));
    set(pose, name + "foot", about_x(-a[kAnkle]) * about_z(s * a[kTilt]));
    set(pose, name + "toes", about_x(-a[kToes]));
    set_arm(pose, side, t, arms_out[side]);
  }
  return pose;
}

void PoseSolver::set_arm(body::Pose& pose, size_t side, double t, double out) const {
  ArmPose a;
  for (size_t k = 0; k < kArmAngles; ++k) a[k] = value(arm_channel(side, k), t);
  a[kOut] += out;
  const double s = sign_of(side), slant = std::sqrt(0.5);
  const D3 down{s * slant, -slant, 0}, elbow{-slant, -s * slant, 0};
  const std::string name = kSideNames[side];
  // At rest the arm is 45 degrees out.
  const Rotation swing = about_x(-a[kForward]) * about_z(s * (a[kOut] - 45 * kDegree));
  // The clavicle contributes a third of the arm's elevation (Inman, Saunders and Abbott 1944).
  const double risen = std::acos(std::clamp(-(swing * down).y, -1.0, 1.0));
  const double raise = 26 * kDegree * smooth_step(20 * kDegree, 175 * kDegree, risen);
  const double back = -10 * kDegree * std::clamp((swing * down).z, -1.0, 1.0);
  const Rotation clavicle = about_z(s * raise) * about_y(s * back);
  set(pose, name + "clavicle", clavicle);
  set(pose, name + "upper_arm", transposed(clavicle) * swing * about(down, s * a[kArmTurn]));
  set(pose, name + "forearm", about(elbow, a[kElbow]));
  set(pose, name + "hand", about(down, s * a[kPalm]) * about_z(-s * a[kWrist]));
}

// Penetration depth of a forearm and hand into the rest of the body, including a clearance.
double PoseSolver::arm_depth(const body::Surface& body, const std::vector<Transform>& joints,
                             size_t side) const {
  constexpr float kClearance = 0.006f;
  const float scale = static_cast<float>(plan_.figure.size);
  const auto at = [&](const char* joint) {
    return joints[static_cast<size_t>(skeleton_.at(kSideNames[side] + std::string(joint)))];
  };
  const V3 elbow = at("forearm").position, wrist = at("hand").position;
  const V3 down{static_cast<float>(sign_of(side)) * 0.7071f, -0.7071f, 0};
  float depth = 0;
  for (const float share : {0.1f, 0.4f, 0.7f, 1.0f})
    depth = std::max(depth, (0.040f - 0.013f * share) * scale + kClearance -
                                body.at(elbow + (wrist - elbow) * share).distance);
  for (const float along : {0.06f, 0.11f, 0.16f})
    depth = std::max(
        depth, 0.022f * scale + kClearance - body.at(apply(at("hand"), down * (along * scale))).distance);
  return static_cast<double>(depth);
}

// Abducts the arms where they would penetrate the body: iterates per sample, then smooths over time.
void PoseSolver::clear_arms(double from, double to) {
  constexpr double kRate = 60, kRadius = 0.15, kMaxAbduction = 35 * kDegree, kLever = 0.5;
  // Colliders of the body without its arms.
  std::vector<billow_collider> trunk;
  for (const billow_collider& c : plan_.figure.person.colliders) {
    const std::string& joint = skeleton_.joints[c.joint[0]].name;
    if (joint.find("arm") != std::string::npos || joint.find("hand") != std::string::npos ||
        joint.find("clavicle") != std::string::npos)
      continue;
    trunk.push_back(c);
    trunk.back().blend_with = -1;
    trunk.back().blend_radius = 0;
  }
  body::Surface surface(skeleton_, trunk);
  const size_t count = static_cast<size_t>((to - from) * kRate) + 2;
  for (SampledCurve& s : abduction_) s = {from, kRate, std::vector<double>(count)};
  for (size_t k = 0; k < count; ++k) {
    const double t = abduction_[0].time(k);
    std::array<double, kSides> out{0, 0};
    std::array<bool, kSides> clear{false, false};
    for (int round = 0; round < 8 && !(clear[0] && clear[1]); ++round) {
      const std::vector<Transform> joints = body::joint_transforms(skeleton_, pose(t, out));
      if (round == 0) surface.pose(joints);
      for (size_t side = 0; side < kSides; ++side) {
        if (clear[side]) continue;
        const double depth = arm_depth(surface, joints, side);
        clear[side] = depth <= 0 || out[side] >= kMaxAbduction;
        if (!clear[side]) out[side] = std::min(kMaxAbduction, out[side] + depth / kLever + 0.2 * kDegree);
      }
    }
    for (size_t side = 0; side < kSides; ++side) abduction_[side].values[k] = out[side];
  }
  for (SampledCurve& s : abduction_) smooth_envelope(s.values, static_cast<size_t>(kRadius * kRate));
}

}  // namespace

std::vector<body::Pose> solve_poses(const MotionPlan& plan, double from, size_t frames,
                                    double frames_per_second) {
  const PoseSolver performer(plan, from, from + static_cast<double>(frames) / frames_per_second);
  std::vector<body::Pose> out;
  out.reserve(frames);
  for (size_t k = 0; k < frames; ++k)
    out.push_back(performer.pose(from + static_cast<double>(k) / frames_per_second));
  return out;
}

}  // namespace billow::motion
