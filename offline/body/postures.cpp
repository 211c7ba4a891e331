#include "body/postures.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>
#include <stdexcept>

#include "body/skin.h"

namespace billow::body {
namespace {

constexpr float kDegree = 3.14159265f / 180;
constexpr V3 kX{1, 0, 0}, kY{0, 1, 0}, kZ{0, 0, 1};

struct AngleRange {
  const char* name;
  V3 axis;          // of the left joint
  float low, high;  // degrees
};

void add(std::vector<JointRange>& out, const Skeleton& person, const std::string& joint, bool mirror,
         std::initializer_list<AngleRange> angle_ranges) {
  JointRange range;
  range.joint = person.at(joint);
  size_t k = 0;
  for (const AngleRange& t : angle_ranges) {
    range.names[k] = t.name;
    // Mirroring a rotation in x = 0 keeps the x of its axis and negates y and z.
    range.axes[k] = mirror ? V3{t.axis.x, -t.axis.y, -t.axis.z} : t.axis;
    range.low[k] = t.low * kDegree;
    range.high[k++] = t.high * kDegree;
  }
  out.push_back(range);
}

}  // namespace

std::vector<JointRange> joint_ranges(const Skeleton& person) {
  std::vector<JointRange> out;
  for (const char* joint : {"spine_lower", "spine_upper", "chest"})
    add(out, person, joint, false, {{"flex", kX, -10, 25}, {"lean", kZ, -11, 11}, {"turn", kY, -14, 14}});
  add(out, person, "neck", false, {{"flex", kX, -25, 25}, {"lean", kZ, -20, 20}, {"turn", kY, -35, 35}});
  add(out, person, "head", false, {{"flex", kX, -25, 20}, {"lean", kZ, -15, 15}, {"turn", kY, -35, 35}});
  const float s = 0.70710678f;
  const V3 down{s, -s, 0}, elbow{-s, -s, 0}, palm{-s, -s, 0};
  for (const bool right : {false, true}) {
    const std::string side = right ? "right_" : "left_";
    add(out, person, side + "clavicle", right, {{"raise", kZ, -8, 30}, {"back", kY, -15, 15}});
    // The A-pose is 45 degrees abducted. Together with the clavicle the arm rises up to 170.
    add(out, person, side + "upper_arm", right,
        {{"forward", -kY, -35, 100}, {"raise", kZ, -40, 95}, {"turn", down, -60, 60}});
    add(out, person, side + "forearm", right, {{"flex", elbow, 0, 145}});
    add(out, person, side + "hand", right,
        {{"flex", palm * -1.0f, -60, 60}, {"aside", kZ, 0, 0}, {"turn", down, -60, 60}});
    add(out, person, side + "thigh", right,
        {{"flex", -kX, -30, 120}, {"abduct", kZ, -20, 40}, {"turn", kY, -35, 45}});
    add(out, person, side + "calf", right, {{"flex", kX, 0, 135}});
    add(out, person, side + "foot", right, {{"flex", -kX, -45, 20}, {"tilt", kZ, -20, 20}});
    add(out, person, side + "toes", right, {{"flex", -kX, -25, 60}});
  }
  return out;
}

namespace {

Quat rotation_of(const JointRange& range, const std::array<float, 3>& angles) {
  Quat q{0, 0, 0, 1};
  for (size_t k = 0; k < 3; ++k)
    if (range.names[k]) q = q * rotation_about(range.axes[k], angles[k]);
  return q;
}

// Moves the root so that the lowest sole point touches y = 0.
void put_on_ground(const Skeleton& person, Pose& pose) {
  const auto lowest = [&](const std::vector<Transform>& joints) {
    float y = 1e30f;
    for (const char* name : {"left_toes", "right_toes", "left_foot", "right_foot"}) {
      const size_t j = static_cast<size_t>(person.at(name));
      const bool heel = std::strstr(name, "foot") != nullptr;
      const V3 sole = heel ? V3{0, -0.068f, -0.045f} : V3{0, -0.023f, 0.05f};
      y = std::min(y, apply(joints[j], sole).y);
    }
    return y;
  };
  pose.root_position.y -= lowest(joint_transforms(person, pose));
}

// Spheres that approximate a posed collider.
struct Sphere {
  V3 centre;
  float radius;
};
std::vector<Sphere> spheres_of(const billow_collider& c, const std::vector<Transform>& skinning) {
  const V3 at{c.position[0], c.position[1], c.position[2]};
  const auto skinned = [&](V3 p) {
    V3 sum{0, 0, 0};
    for (size_t k = 0; k < BILLOW_JOINTS_PER_COLLIDER; ++k)
      if (c.weight[k] > 0) sum += apply(skinning[c.joint[k]], p) * c.weight[k];
    return sum;
  };
  std::vector<Sphere> spheres;
  for (const float share : {0.0f, 0.25f, 0.5f, 0.75f, 1.0f}) {
    if (c.shape == BILLOW_SHAPE_TAPERED_CAPSULE) {
      const V3 end{c.end[0], c.end[1], c.end[2]};
      spheres.push_back({skinned(at + (end - at) * share), c.radius + (c.radius_end - c.radius) * share});
    } else {
      const Quat q{c.rotation[0], c.rotation[1], c.rotation[2], c.rotation[3]};
      const float thin = std::min({c.half_extents[0], c.half_extents[1], c.half_extents[2]});
      const float reach =
          1 - thin / std::max({c.half_extents[0], c.half_extents[1], c.half_extents[2], thin});
      const float a = (2 * share - 1) * reach;
      const size_t longest = c.half_extents[1] >= c.half_extents[0] && c.half_extents[1] >= c.half_extents[2]
                                 ? 1
                             : c.half_extents[0] >= c.half_extents[2] ? 0
                                                                      : 2;
      V3 offset{0, 0, 0};
      (longest == 0 ? offset.x : longest == 1 ? offset.y : offset.z) = a * c.half_extents[longest];
      spheres.push_back({skinned(at + rotate(q, offset)), thin});
    }
  }
  return spheres;
}

// The limb that a collider belongs to (0: trunk, 1 and 2: arms, 3 and 4: legs) and its order outwards along
// it.
struct Limb {
  int id, order;
};
Limb limb_of(const std::string& collider) {
  const int side = collider.rfind("left_", 0) == 0 ? 0 : collider.rfind("right_", 0) == 0 ? 1 : 2;
  if (side == 2) return {0, 0};
  const std::string part = collider.substr(collider.find('_') + 1);
  const char* arm[] = {"upper_arm", "forearm", "hand", "thumb"};
  const char* leg[] = {"thigh", "shin", "calf", "foot", "toes"};
  for (int k = 0; k < 4; ++k)
    if (part == arm[k]) return {1 + side, k};
  for (int k = 0; k < 5; ++k)
    if (part == leg[k]) return {3 + side, k};
  return {0, 0};
}

bool limbs_collide(const Person& person, const std::vector<Transform>& rest, const Pose& pose) {
  std::vector<Transform> skinning = joint_transforms(person.skeleton, pose);
  for (size_t j = 0; j < skinning.size(); ++j) skinning[j] = skinning[j] * inverse(rest[j]);
  std::vector<std::vector<Sphere>> spheres;
  for (const billow_collider& c : person.colliders) spheres.push_back(spheres_of(c, skinning));
  for (size_t i = 0; i < spheres.size(); ++i)
    for (size_t j = 0; j < spheres.size(); ++j) {
      const Limb a = limb_of(person.collider_names[i]), b = limb_of(person.collider_names[j]);
      // Test the outer parts of each limb against the trunk and against other limbs.
      if (a.id == 0 || a.id == b.id || a.order == 0 || (b.id != 0 && i > j)) continue;
      for (const Sphere& x : spheres[i])
        for (const Sphere& y : spheres[j])
          if (length(x.centre - y.centre) < x.radius + y.radius - 0.015f) return true;
    }
  return false;
}

}  // namespace

Pose posture(const Skeleton& person, const std::vector<Angle>& angles) {
  Pose pose = rest_pose(person);
  std::vector<JointRange> ranges = joint_ranges(person);
  std::vector<std::array<float, 3>> values(ranges.size(), {0, 0, 0});
  for (const Angle& a : angles) {
    bool found = false;
    for (size_t r = 0; r < ranges.size(); ++r)
      for (size_t k = 0; k < 3; ++k)
        if (person.joints[static_cast<size_t>(ranges[r].joint)].name == a.joint && ranges[r].names[k] &&
            std::strcmp(ranges[r].names[k], a.name) == 0) {
          values[r][k] = std::clamp(a.radians, ranges[r].low[k], ranges[r].high[k]);
          found = true;
        }
    if (!found)
      throw std::invalid_argument(std::string("posture: expected an angle of joint '") + a.joint +
                                  "', found '" + a.name + "'");
  }
  for (size_t r = 0; r < ranges.size(); ++r)
    pose.rotations[static_cast<size_t>(ranges[r].joint)] = rotation_of(ranges[r], values[r]);
  return pose;
}

std::vector<NamedPose> sample_poses(const Person& person) {
  const auto arms_down = [](std::vector<Angle> more) {
    std::vector<Angle> all{{"left_upper_arm", "raise", -0.6f}, {"right_upper_arm", "raise", -0.6f},
                           {"left_forearm", "flex", 0.25f},    {"right_forearm", "flex", 0.25f},
                           {"left_thigh", "abduct", -0.1f},    {"right_thigh", "abduct", -0.1f}};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  };
  std::vector<NamedPose> poses{
      {"stand", posture(person.skeleton, arms_down({}))},
      {"stride", posture(person.skeleton, arms_down({{"left_thigh", "flex", 1.0f},
                                                     {"left_calf", "flex", 1.3f},
                                                     {"right_thigh", "flex", -0.4f},
                                                     {"right_calf", "flex", 0.5f},
                                                     {"left_upper_arm", "forward", -0.55f},
                                                     {"left_forearm", "flex", 1.5f},
                                                     {"right_upper_arm", "forward", 0.9f},
                                                     {"right_forearm", "flex", 1.6f},
                                                     {"left_upper_arm", "raise", -0.35f},
                                                     {"right_upper_arm", "raise", -0.45f},
                                                     {"right_foot", "flex", -0.5f},
                                                     {"right_toes", "flex", 0.4f},
                                                     {"spine_lower", "flex", 0.12f},
                                                     {"chest", "turn", 0.15f}}))},
      {"squat", posture(person.skeleton, {{"left_thigh", "flex", 1.6f},
                                          {"right_thigh", "flex", 1.6f},
                                          {"left_thigh", "abduct", 0.15f},
                                          {"right_thigh", "abduct", 0.15f},
                                          {"left_calf", "flex", 1.9f},
                                          {"right_calf", "flex", 1.9f},
                                          {"left_foot", "flex", 0.34f},
                                          {"right_foot", "flex", 0.34f},
                                          {"spine_lower", "flex", 0.3f},
                                          {"spine_upper", "flex", 0.2f},
                                          {"left_upper_arm", "forward", 1.3f},
                                          {"right_upper_arm", "forward", 1.3f},
                                          {"left_upper_arm", "raise", 0.45f},
                                          {"right_upper_arm", "raise", 0.45f}})},
      {"kick", posture(person.skeleton, {{"left_thigh", "flex", 1.5f},
                                         {"left_calf", "flex", 0.15f},
                                         {"left_foot", "flex", -0.6f},
                                         {"right_thigh", "abduct", -0.1f},
                                         {"spine_lower", "flex", -0.1f},
                                         {"right_upper_arm", "forward", 0.9f},
                                         {"left_upper_arm", "forward", -0.4f}})},
      {"arms up", posture(person.skeleton, {{"left_upper_arm", "raise", 1.5f},
                                            {"right_upper_arm", "raise", 1.5f},
                                            {"left_clavicle", "raise", 0.45f},
                                            {"right_clavicle", "raise", 0.45f},
                                            {"left_forearm", "flex", 0.3f},
                                            {"right_forearm", "flex", 0.3f},
                                            {"left_thigh", "abduct", -0.1f},
                                            {"right_thigh", "abduct", -0.1f}})},
  };
  for (NamedPose& p : poses) put_on_ground(person.skeleton, p.pose);
  return poses;
}

Pose random_pose(const Person& person, uint32_t seed, float share) {
  std::mt19937 engine(seed);
  const std::vector<JointRange> ranges = joint_ranges(person.skeleton);
  const std::vector<Transform> rest = rest_transforms(person.skeleton);
  Pose pose = rest_pose(person.skeleton);
  // Rotate the root as well; the result must not depend on it.
  for (int attempt = 0; attempt < 1000; ++attempt) {
    const auto uniform = [&](float low, float high) {
      return low + (high - low) * static_cast<float>(static_cast<double>(engine()) / 4294967296.0);
    };
    pose.rotations[0] =
        rotation_about({uniform(-1, 1), uniform(-1, 1), uniform(-1, 1)}, uniform(-0.6f, 0.6f));
    for (const JointRange& range : ranges) {
      // Sample within an ellipsoid: no joint reaches the limits of several of its ranges at once.
      std::array<float, 3> u{}, angles{};
      do {
        for (float& v : u) v = uniform(-1, 1);
        for (size_t k = 0; k < 3; ++k) u[k] = range.low[k] < range.high[k] ? u[k] : 0;
      } while (u[0] * u[0] + u[1] * u[1] + u[2] * u[2] > 1);
      for (size_t k = 0; k < 3; ++k)
        angles[k] = share * 0.5f * (range.low[k] + range.high[k] + u[k] * (range.high[k] - range.low[k]));
      pose.rotations[static_cast<size_t>(range.joint)] = rotation_of(range, angles);
    }
    if (!limbs_collide(person, rest, pose)) break;
  }
  return pose;
}

Skin make_skin(const Person& person, const SkinOptions& options) {
  constexpr uint32_t kFirstSeed = 0x5eed0000u, kPoses = 120;
  Skin skin = make_skin(person.skeleton, person.colliders, options);
  std::vector<Pose> poses{rest_pose(person.skeleton)};
  for (uint32_t k = 0; k < kPoses; ++k) poses.push_back(random_pose(person, kFirstSeed + k));
  fit_weights(skin, person.skeleton, person.colliders, poses);
  return skin;
}

}  // namespace billow::body
