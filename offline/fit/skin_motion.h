// The motion of a skinned body off its surface: a point near it follows the joints as the nearest skin does. The
// colliders of the runtime carry points in rigid parts blended in twos; this is what they approximate.
#pragma once

#include <span>

#include "body/skin.h"
#include "body/triangle_tree.h"

namespace billow::fit {

class SkinMotion {
 public:
  // From one pose to the next, given by the joints in world space. Keeps a reference to the skin.
  SkinMotion(const body::Skin& skin, std::span<const Transform> before, std::span<const Transform> now);

  // Where the body takes a point that stood at x before (the paper's x_B).
  V3 carried(V3 x) const;
  // The velocity of what is at x now, if the motion took dt seconds (the paper's v_phi).
  V3 velocity(V3 x, float dt) const;

 private:
  struct Pose {
    Pose(const body::Skin& skin, std::span<const Transform> joints);
    std::vector<Transform> moved;  // joints, relative to rest
    std::vector<V3> vertices;
    body::TriangleTree tree;
  };
  // Takes x from a pose back to rest with the weights of the nearest skin, and on to the other pose.
  V3 follow(const Pose& from, const Pose& to, V3 x) const;

  const body::Skin& skin_;
  Pose before_, now_;
};

}  // namespace billow::fit
