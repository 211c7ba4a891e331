#include "body/skeleton.h"

#include <cmath>
#include <stdexcept>
#include <unordered_set>

namespace billow::body {
namespace {

bool finite(V3 v) { return std::isfinite(v.x) && std::isfinite(v.y) && std::isfinite(v.z); }
bool finite(Quat q) {
  return std::isfinite(q.x) && std::isfinite(q.y) && std::isfinite(q.z) && std::isfinite(q.w);
}

[[noreturn]] void fail(const std::string& message) { throw std::invalid_argument("skeleton: " + message); }

}  // namespace

int Skeleton::find(std::string_view name) const {
  for (size_t i = 0; i < joints.size(); ++i)
    if (joints[i].name == name) return static_cast<int>(i);
  return kNoJoint;
}

int Skeleton::at(std::string_view name) const {
  const int found = find(name);
  if (found == kNoJoint) fail("there is no joint '" + std::string(name) + "'");
  return found;
}

void validate(const Skeleton& skeleton) {
  if (skeleton.joints.empty()) fail("expected at least one joint, found none");
  std::unordered_set<std::string_view> names;
  for (size_t i = 0; i < skeleton.size(); ++i) {
    const Joint& joint = skeleton.joints[i];
    const std::string context = "joint " + std::to_string(i) + " '" + joint.name + "': ";
    if (joint.name.empty()) fail(context + "expected a name, found none");
    if (!names.insert(joint.name).second)
      fail(context + "expected a unique name, found that of an earlier joint");
    if (i == 0 && joint.parent != kNoJoint)
      fail(context + "expected the root, found a joint with parent " + std::to_string(joint.parent));
    if (i > 0 && (joint.parent < 0 || joint.parent >= static_cast<int>(i)))
      fail(context + "expected an earlier joint as parent, found " + std::to_string(joint.parent));
    if (!finite(joint.rest.position) || !finite(joint.rest.rotation))
      fail(context + "expected a finite rest transform");
    if (!(dot(joint.rest.rotation, joint.rest.rotation) > 0))
      fail(context + "expected a rotation, found zero");
  }
}

void validate(const Skeleton& skeleton, const Pose& pose) {
  if (pose.rotations.size() != skeleton.size())
    fail("expected a pose of " + std::to_string(skeleton.size()) + " rotations, found " +
         std::to_string(pose.rotations.size()));
  if (!pose.offsets.empty() && pose.offsets.size() != skeleton.size())
    fail("expected a pose of " + std::to_string(skeleton.size()) + " offsets or none, found " +
         std::to_string(pose.offsets.size()));
  if (!finite(pose.root_position)) fail("expected a finite root position in the pose");
  for (size_t i = 0; i < skeleton.size(); ++i) {
    const Quat q = pose.rotations[i];
    if (!finite(q) || !(dot(q, q) > 0))
      fail("expected a finite rotation of joint '" + skeleton.joints[i].name + "' in the pose");
    if (!pose.offsets.empty() && !finite(pose.offsets[i]))
      fail("expected a finite offset of joint '" + skeleton.joints[i].name + "' in the pose");
  }
}

Pose rest_pose(const Skeleton& skeleton) {
  Pose pose;
  if (skeleton.joints.empty()) return pose;
  pose.root_position = skeleton.joints[0].rest.position;
  for (const Joint& joint : skeleton.joints) pose.rotations.push_back(normalized(joint.rest.rotation));
  return pose;
}

std::vector<Transform> joint_transforms(const Skeleton& skeleton, const Pose& pose) {
  validate(skeleton, pose);
  std::vector<Transform> world;
  world.reserve(skeleton.size());
  for (size_t i = 0; i < skeleton.size(); ++i) {
    const Joint& joint = skeleton.joints[i];
    const Quat rotation = normalized(pose.rotations[i]);
    if (joint.parent == kNoJoint)
      world.push_back({pose.root_position, rotation});
    else
      world.push_back(world[static_cast<size_t>(joint.parent)] *
                      Transform{pose.offsets.empty() ? joint.rest.position : pose.offsets[i], rotation});
  }
  return world;
}

std::vector<Transform> rest_transforms(const Skeleton& skeleton) {
  return joint_transforms(skeleton, rest_pose(skeleton));
}

Pose pose_of(const Skeleton& skeleton, std::span<const Transform> joints) {
  Pose pose;
  pose.root_position = joints[0].position;
  for (size_t j = 0; j < skeleton.size(); ++j) {
    const int parent = skeleton.joints[j].parent;
    const Transform local =
        parent == kNoJoint ? joints[j] : inverse(joints[static_cast<size_t>(parent)]) * joints[j];
    pose.rotations.push_back(local.rotation);
    pose.offsets.push_back(parent == kNoJoint ? skeleton.joints[j].rest.position : local.position);
  }
  return pose;
}

Quat rotation_about(V3 axis, float radians) {
  const float l = length(axis);
  if (!(l > 0)) return {0, 0, 0, 1};
  const float s = std::sin(0.5f * radians) / l;
  return {axis.x * s, axis.y * s, axis.z * s, std::cos(0.5f * radians)};
}

std::vector<billow_transform> to_api(std::span<const Transform> joints) {
  std::vector<billow_transform> out;
  out.reserve(joints.size());
  for (const Transform& t : joints)
    out.push_back({{t.position.x, t.position.y, t.position.z},
                   {t.rotation.x, t.rotation.y, t.rotation.z, t.rotation.w}});
  return out;
}

}  // namespace billow::body
