// Rigid transforms of bones of which only positions are known: skinning needs rotations, which rope chains do
// not have. They are derived from the ropes that meet at a bone and from the neighbouring chains. Shared by
// evaluation and runtime.
#pragma once

#include <cstdint>
#include <span>

#include "core/vec.h"

namespace billow {

// The bones of all chains, chain by chain from root to tip.
struct BoneChains {
  std::span<const uint32_t> sizes;
  std::span<const uint32_t> bones;
  bool closed = false;  // the last chain is a neighbour of the first
};

// The bones whose position differences span a bone's frame: along its chain, and across to the neighbouring
// chains.
struct BoneAxes {
  uint32_t bone, up, down, left, right;
};
// One per bone of the chains, in their order.
void find_bone_axes(const BoneChains& chains, BoneAxes* out);

// A bone in no chain interpolates the rotations of the two nearest roots.
struct BoneFollower {
  uint32_t bone, first, second;
  float share;  // weight of the second
};
// Returns their number. `out` has space for one per bone.
size_t find_bone_followers(const BoneChains& chains, std::span<const V3> rest, BoneFollower* out);

// Transforms from rest to `positions`, one per bone. If all bones move as one rigid body, each transform is
// its motion.
void find_bone_motions(std::span<const BoneAxes> axes, std::span<const BoneFollower> followers,
                       std::span<const V3> rest, const V3* positions, Transform* out);

}  // namespace billow
