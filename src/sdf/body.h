// A body: colliders, the joints they follow, and their transforms at the start and the end of a frame.
#pragma once

#include <cstdint>

#include "sdf/grid.h"
#include "sdf/neural.h"
#include "sdf/shapes.h"

namespace billow {

enum class Shape : int {
  kSphere,
  kCapsule,
  kTaperedCapsule,
  kEllipsoid,
  kBox,
  kHalfSpace,
  kCustom,
  kGrid,
  kNeural
};

using SdfFunction = void (*)(void* user, const float* points, unsigned count, float* distances,
                             float* gradients);

inline constexpr int kMaxColliders = 128;
inline constexpr int kJointsPerCollider = 4;
inline constexpr int kColliderGroups = 8;
inline constexpr uint32_t kAllGroups = (1u << kColliderGroups) - 1;
inline constexpr float kFarAway = 1e30f;

// Immutable description, in metres at scale 1. The frame's origin is the shape's position; for the capsules
// its y axis runs from the first end to the second.
struct Collider {
  Shape shape = Shape::kSphere;
  Transform rest;    // in model space, joints at rest
  float radius = 0;  // capsules: at the first end; box: rounding; custom, grid, neural: bound
  float length = 0;  // capsules: between the ends
  float taper = 0;   // capsules: radius lost per metre of axis
  float slope = 0;   // capsules: tan of the cone's half angle
  V3 half{0, 0, 0};  // box, ellipsoid; grid, neural: of a box around the surface
  int joint[kJointsPerCollider] = {0, 0, 0, 0};
  float weight[kJointsPerCollider] = {1, 0, 0, 0};
  int blend_with = -1;  // an earlier collider
  float blend_radius = 0;
  uint32_t group = 0;
  float reach = 0;  // how much farther than the nearest collider it may be and still count: blends, rounding
  SdfFunction sdf = nullptr;
  void* user = nullptr;
  Grid grid;
  SdfNetwork network;
  float thickness = 0;          // custom, grid, neural: no shorter path passes through
  float max_axis_distance = 0;  // grid, neural: upper bound of phi on the y axis within `half`

  // Sphere, capsule or tapered capsule.
  bool is_capsule() const { return shape <= Shape::kTaperedCapsule; }
};

// A collider placed in the world for one sub-step, with its motion over it.
struct PosedCollider {
  const Collider* collider = nullptr;
  int blend_with = -1;   // place in the list of posed colliders: an earlier one
  Transform transform;   // at the end of the sub-step
  RigidMatrix rotation;  // local -> world at the end of the sub-step (translation = its position)
  V3 axis{0, 1, 0};      // local y in the world
  V3 bound_centre{0, 0, 0};
  float bound_radius = 0;
  float travel = 0;  // largest displacement of a point near it over the sub-step, less the common motion
  float half_thickness =
      0;  // least distance from its middle to its surface: a shorter path cannot pass through
  float scale = 1;
  EllipsoidShape ellipsoid;  // of an ellipsoid
  // Motion over the sub-step: a point x goes to centre + delta_rotation * (x - centre_before).
  V3 centre_before{0, 0, 0};
  RigidMatrix delta_rotation;  // no translation
  bool moving = false;
};

// All mutable state of a body: collider transforms at the start and the end of the frame.
struct Body {
  int joint_count = 0;
  int collider_count = 0;
  Collider* colliders = nullptr;
  Transform* joint_rest_inverse = nullptr;
  Transform* before = nullptr;  // per collider
  Transform* now = nullptr;
  float scale = 1;
  uint8_t posed = 0;     // a byte, so that any saved value may be loaded
  bool changes = false;  // the shape of its colliders does
};

// Poses the colliders for joints in world space. With `teleport`, or on first use, the frame has no motion:
// its start becomes its end.
void pose_body(Body& body, const Transform* joints, float scale, bool teleport);

// A collider over a sub-step that takes it from `from` to `to`, while everything around it moves by `common`.
PosedCollider pose_collider(const Collider& collider, float scale, const Transform& from, const Transform& to,
                            V3 common = {0, 0, 0});

}  // namespace billow
