#include "motion/limits.h"

#include <cmath>

#include "body/postures.h"
#include "motion/rotation.h"

namespace billow::motion {
namespace {

class Margin {
 public:
  void check(const std::string& joint, const char* name, double angle, double low, double high) {
    // A joint without a range may be off by rounding.
    constexpr double kRounding = 0.5 * kDegree;
    const double margin = std::min(angle - low, high - angle) + (low == high ? kRounding : 0);
    if (low == high && margin > 0) return;
    if (margin < result.radians) result = {margin, joint + " " + name};
  }
  LimitMargin result{1e30, ""};
};

Rotation rotation_at(const body::Skeleton& person, const body::Pose& pose, const std::string& joint) {
  return to_rotation(pose.rotations[static_cast<size_t>(person.at(joint))]);
}

// Joints whose angles are about x, z and y, in this order; ranges with other axes are left out.
void check_ranges(const body::Skeleton& person, const body::Pose& pose, Margin& margin) {
  for (const body::JointRange& range : body::joint_ranges(person)) {
    const std::string& joint = person.joints[static_cast<size_t>(range.joint)].name;
    if (joint.find("arm") != std::string::npos || joint.find("hand") != std::string::npos) continue;
    const AnglesXzy angles = angles_xzy(rotation_at(person, pose, joint));
    const double values[3] = {angles.x, angles.z, angles.y};
    double low[3] = {0, 0, 0}, high[3] = {0, 0, 0}, sign[3] = {1, 1, 1};
    const char* names[3] = {"about x", "about z", "about y"};
    for (size_t k = 0; k < 3; ++k) {
      if (!range.names[k]) continue;
      const V3 a = range.axes[k];
      const size_t axis = a.x != 0 ? 0 : a.z != 0 ? 1 : 2;
      names[axis] = range.names[k];
      sign[axis] = static_cast<double>(a.x + a.y + a.z);
      low[axis] = static_cast<double>(range.low[k]), high[axis] = static_cast<double>(range.high[k]);
    }
    if (joint.find("foot") != std::string::npos) high[0] = 30 * kDegree;
    for (size_t k = 0; k < 3; ++k) margin.check(joint, names[k], sign[k] * values[k], low[k], high[k]);
  }
}

void check_arm(const body::Skeleton& person, const body::Pose& pose, const std::string& side, double s,
               Margin& margin) {
  const double slant = std::sqrt(0.5);
  const D3 down{s * slant, -slant, 0}, elbow{-slant, -s * slant, 0}, front{0, 0, 1};
  // The shoulder: how far the arm is up, back and across, then its turn about itself from where the shortest
  // way from hanging takes it.
  const Rotation arm = rotation_at(person, pose, side + "upper_arm");
  const D3 way = arm * down, hang{0, -1, 0};
  const double up = std::acos(std::clamp(-way.y, -1.0, 1.0));
  margin.check(side + "upper_arm", "up", up, -1, 165 * kDegree);
  margin.check(side + "upper_arm", "back", std::asin(std::clamp(-way.z, -1.0, 1.0)), -9,
               mix(60, 25, smooth_step(30 * kDegree, 150 * kDegree, up)) * kDegree);
  margin.check(side + "upper_arm", "across", std::asin(std::clamp(-s * way.x, -1.0, 1.0)), -9, 45 * kDegree);
  const D3 axis = cross(hang, way);
  const Rotation swing = length(axis) > 1e-6 ? about(unit(axis), up) : Rotation{};
  const D3 turned = transposed(swing * about_z(-s * 45 * kDegree)) * (arm * front);
  if (up < 110 * kDegree)  // above that the shortest way is no longer one
    margin.check(side + "upper_arm", "turn", std::atan2(dot(turned, cross(down, front)), turned.z),
                 -90 * kDegree, 90 * kDegree);
  const D3 bent = rotation_at(person, pose, side + "forearm") * down;
  margin.check(side + "forearm", "flex", std::atan2(bent.z, dot(bent, down)), -0.5 * kDegree, 145 * kDegree);
  margin.check(side + "forearm", "aside", dot(bent, elbow), 0, 0);
  // The hand: turned with the forearm, then bent.
  const Rotation hand = rotation_at(person, pose, side + "hand");
  const D3 fingers = hand * down, palm = hand * front;
  margin.check(side + "hand", "flex", std::acos(std::clamp(dot(fingers, down), -1.0, 1.0)), -1, 70 * kDegree);
  margin.check(side + "hand", "turn", std::atan2(dot(palm, cross(down, front)), palm.z), -80 * kDegree,
               80 * kDegree);
}

}  // namespace

LimitMargin limit_margin(const body::Skeleton& person, const body::Pose& pose) {
  Margin margin;
  check_ranges(person, pose, margin);
  check_arm(person, pose, "left_", 1, margin);
  check_arm(person, pose, "right_", -1, margin);
  return margin.result;
}

}  // namespace billow::motion
