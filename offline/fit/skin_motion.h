// The motion of a skinned body off its surface: a point near it follows the joints with the weights of the
// nearest skin point. The runtime's colliders, rigid or blended between joints, approximate this.
#pragma once

#include <span>

#include "body/mesh_distance.h"
#include "body/skin.h"

namespace billow::fit {

class SkinMotion {
 public:
  // The motion from one pose to the next, given by the joints in world space. Keeps a reference to the skin.
  SkinMotion(const body::Skin& skin, std::span<const Transform> before, std::span<const Transform> now);

  // The new position of a body point that was at x before (the paper's x_B).
  V3 carried(V3 x) const;
  // The velocity of the body point that is at x now, for a motion of dt seconds (the paper's v_phi).
  V3 velocity(V3 x, float dt) const;

 private:
  struct Pose {
    Pose(const body::Skin& skin, std::span<const Transform> joints);
    std::vector<Transform> motions;  // of each joint, from rest to the pose
    std::vector<V3> vertices;
    body::TriangleTree tree;
  };
  // Transforms x from one pose back to rest with the weights of the nearest skin point, then to the other
  // pose.
  V3 follow(const Pose& from, const Pose& to, V3 x) const;

  const body::Skin& skin_;
  Pose before_, now_;
};

}  // namespace billow::fit
