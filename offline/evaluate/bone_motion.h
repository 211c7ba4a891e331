// Rigid motions of bones that have places only: what linear blend and dual quaternion skinning need, and what rope chains
// do not give. They are derived from the ropes that meet at a bone and from the chains beside it.
#pragma once

#include <span>
#include <vector>

#include "core/vec.h"
#include "garment/garment.h"

namespace billow::evaluate {

class BoneMotion {
 public:
  explicit BoneMotion(const garment::Garment& garment);

  // From the rest to the places that displacements (three numbers a bone) lead to, one motion a bone. If all bones move
  // as one rigid body, each of these is its motion.
  std::vector<Transform> from(std::span<const float> displacements) const;
  std::span<const V3> rest() const { return rest_; }

 private:
  // Two differences of places that span a bone's frame: along its chain, and across to the chains beside it.
  struct Axes {
    uint32_t up, down, left, right;
  };
  // A bone in no chain follows the roots nearest to it.
  struct Follower {
    uint32_t bone, first, second;
    float share;  // of the second
  };
  void find_axes(const garment::Garment& garment);
  void find_followers(const std::vector<bool>& in_chain);

  std::vector<V3> rest_;
  std::vector<std::pair<uint32_t, Axes>> chained_;
  std::vector<uint32_t> roots_;
  std::vector<Follower> followers_;
};

}  // namespace billow::evaluate
