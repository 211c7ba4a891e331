#include "person.h"

#include <cmath>

namespace billow::scenes {
namespace {

// Lengths in metres of a person of 1.75 m.
constexpr float kHipHalf = 0.09f, kThigh = 0.43f, kCalf = 0.42f, kChestUp = 0.28f, kShoulderUp = 0.22f,
                kShoulderHalf = 0.19f;
constexpr float kArm = 0.29f, kForearm = 0.26f;

Collider capsule(Joint joint, float ax, float ay, float az, float bx, float by, float bz, float ra,
                 float rb) {
  Collider c = billow_collider_default();
  c.shape = BILLOW_SHAPE_TAPERED_CAPSULE;
  c.joint[0] = joint;
  c.position[0] = ax, c.position[1] = ay, c.position[2] = az;
  c.end[0] = bx, c.end[1] = by, c.end[2] = bz;
  c.radius = ra, c.radius_end = rb;
  return c;
}

struct Quat {
  float x, y, z, w;
};
Quat multiply(Quat a, Quat b) {
  return {a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y, a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
          a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w, a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z};
}
Quat about(float x, float y, float z, float angle) {
  float s = std::sin(0.5f * angle);
  return {x * s, y * s, z * s, std::cos(0.5f * angle)};
}
Transform child(const Transform& parent, float x, float y, float z, Quat rotation) {
  Quat q{parent.rotation[0], parent.rotation[1], parent.rotation[2], parent.rotation[3]};
  // Rotate the offset by the parent.
  float tx = 2 * (q.y * z - q.z * y), ty = 2 * (q.z * x - q.x * z), tz = 2 * (q.x * y - q.y * x);
  float ox = x + q.w * tx + q.y * tz - q.z * ty, oy = y + q.w * ty + q.z * tx - q.x * tz,
        oz = z + q.w * tz + q.x * ty - q.y * tx;
  Quat r = multiply(q, rotation);
  return {{parent.position[0] + ox, parent.position[1] + oy, parent.position[2] + oz}, {r.x, r.y, r.z, r.w}};
}

}  // namespace

std::vector<Collider> person_colliders() {
  // Limbs hang along -y in their joint's frame.
  return {
      capsule(kPelvis, -0.07f, 0, 0, 0.07f, 0, 0, 0.125f, 0.125f),
      capsule(kPelvis, 0, 0.08f, 0, 0, 0.20f, 0, 0.125f, 0.12f),
      capsule(kChest, -0.08f, 0.06f, 0, 0.08f, 0.06f, 0, 0.125f, 0.125f),
      capsule(kChest, -0.15f, kShoulderUp, 0, 0.15f, kShoulderUp, 0, 0.07f, 0.07f),
      capsule(kChest, 0, 0.26f, 0, 0, 0.36f, 0.01f, 0.055f, 0.055f),
      capsule(kChest, 0, 0.42f, 0.01f, 0, 0.49f, 0.02f, 0.09f, 0.095f),
      capsule(kLeftThigh, 0, 0, 0, 0, -kThigh, 0, 0.085f, 0.055f),
      capsule(kRightThigh, 0, 0, 0, 0, -kThigh, 0, 0.085f, 0.055f),
      capsule(kLeftCalf, 0, 0, 0, 0, -kCalf, 0, 0.055f, 0.035f),
      capsule(kRightCalf, 0, 0, 0, 0, -kCalf, 0, 0.055f, 0.035f),
      capsule(kLeftCalf, 0, -kCalf - 0.04f, -0.03f, 0, -kCalf - 0.05f, 0.15f, 0.04f, 0.03f),
      capsule(kRightCalf, 0, -kCalf - 0.04f, -0.03f, 0, -kCalf - 0.05f, 0.15f, 0.04f, 0.03f),
      capsule(kLeftArm, 0, 0, 0, 0, -kArm, 0, 0.05f, 0.04f),
      capsule(kRightArm, 0, 0, 0, 0, -kArm, 0, 0.05f, 0.04f),
      capsule(kLeftForearm, 0, 0, 0, 0, -kForearm - 0.12f, 0, 0.04f, 0.028f),
      capsule(kRightForearm, 0, 0, 0, 0, -kForearm - 0.12f, 0, 0.04f, 0.028f),
  };
}

std::vector<Transform> person_joints(const Posture& p, float x, float y, float z, float heading) {
  std::vector<Transform> j(kJointCount);
  Quat yaw = about(0, 1, 0, heading);
  j[kPelvis] = {{x, y, z}, {yaw.x, yaw.y, yaw.z, yaw.w}};
  j[kChest] = child(j[kPelvis], 0, kChestUp, 0, multiply(about(0, 1, 0, p.twist), about(1, 0, 0, p.lean)));
  j[kLeftThigh] = child(j[kPelvis], kHipHalf, -0.03f, 0,
                        multiply(about(1, 0, 0, -p.left_thigh), about(0, 0, 1, p.spread)));
  j[kRightThigh] = child(j[kPelvis], -kHipHalf, -0.03f, 0,
                         multiply(about(1, 0, 0, -p.right_thigh), about(0, 0, 1, -p.spread)));
  j[kLeftCalf] = child(j[kLeftThigh], 0, -kThigh, 0, about(1, 0, 0, p.left_knee));
  j[kRightCalf] = child(j[kRightThigh], 0, -kThigh, 0, about(1, 0, 0, p.right_knee));
  j[kLeftArm] = child(j[kChest], kShoulderHalf, kShoulderUp, 0,
                      multiply(about(1, 0, 0, -p.left_arm), about(0, 0, 1, 0.15f)));
  j[kRightArm] = child(j[kChest], -kShoulderHalf, kShoulderUp, 0,
                       multiply(about(1, 0, 0, -p.right_arm), about(0, 0, 1, -0.15f)));
  j[kLeftForearm] = child(j[kLeftArm], 0, -kArm, 0, about(1, 0, 0, -p.elbow));
  j[kRightForearm] = child(j[kRightArm], 0, -kArm, 0, about(1, 0, 0, -p.elbow));
  return j;
}

Posture standing() {
  Posture p;
  p.elbow = 2.0f;
  return p;
}

Posture running(double time, double steps_per_second) {
  const double phase = 3.14159265358979 * steps_per_second * time;
  const float s = static_cast<float>(std::sin(phase)), c = static_cast<float>(std::cos(phase));
  Posture p;
  p.left_thigh = 0.2f + 0.75f * s;
  p.right_thigh = 0.2f - 0.75f * s;
  p.left_knee = 0.35f + 0.9f * std::max(0.0f, -c) + 0.3f * std::max(0.0f, s);
  p.right_knee = 0.35f + 0.9f * std::max(0.0f, c) + 0.3f * std::max(0.0f, -s);
  p.left_arm = -0.7f * s;
  p.right_arm = 0.7f * s;
  p.elbow = 1.4f;
  p.lean = 0.15f;
  p.twist = 0.15f * s;
  return p;
}

Posture kicking(double time, double kicks_per_second) {
  // Left and right alternately, to the front and to the back, knees nearly straight.
  const double phase = 3.14159265358979 * kicks_per_second * time;
  const float s = static_cast<float>(std::sin(phase));
  Posture p = standing();
  p.left_thigh = 1.1f * s;
  p.right_thigh = -1.1f * s;
  p.left_knee = p.right_knee = 0.2f;
  p.spread = 0.05f;
  return p;
}

}  // namespace billow::scenes
