// Rigid motions of bones that have places only: what skinning needs, and what rope chains do not give. They are derived from the ropes
// that meet at a bone and from the chains beside it. Evaluation and the frame have this in common.
#pragma once

#include <cstdint>
#include <span>

#include "core/vec.h"

namespace billow {

// The bones of chains, chain after chain from root to hem.
struct BoneChains {
  std::span<const uint32_t> sizes;
  std::span<const uint32_t> bones;
  bool closed = false;  // the last chain is beside the first
};

// Two differences of places that span a bone's frame: along its chain, and across to the chains beside it.
struct BoneAxes {
  uint32_t bone, up, down, left, right;
};
// One for each of the chains' bones, in their order.
void find_bone_axes(const BoneChains& chains, BoneAxes* out);

// A bone in no chain turns as the roots nearest to it do.
struct BoneFollower {
  uint32_t bone, first, second;
  float share;  // of the second
};
// How many there are; `out` has room for one a bone.
size_t find_bone_followers(const BoneChains& chains, std::span<const V3> rest, BoneFollower* out);

// From the rest to the places, one motion a bone. If all bones move as one rigid body, each of these is its motion.
void find_bone_motions(std::span<const BoneAxes> axes, std::span<const BoneFollower> followers,
                       std::span<const V3> rest, const V3* places, Transform* out);

}  // namespace billow
