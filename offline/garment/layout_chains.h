// Lays out chains of virtual bones on any garment, from its seam to its hem.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "garment/garment.h"

namespace billow::garment {

struct ChainOptions {
  size_t chains = 20;
  size_t bones = 10;     // per chain, without the root
  float spacing = 0;     // m between bones; if > 0, `bones` is ignored and longer chains have more
  float margin = 0.03f;  // fraction of an open seam's length from its ends to the first and last chain
};

inline constexpr size_t kMaxChains = 1000, kMaxBonesOfChain = 1000;

// Fills bones, chains and `closed` of a garment with attachments. Roots are evenly spaced along the seam.
// Chains follow the level lines of coordinate_along() (garment/seam.h): they approximate the gradient of the
// distance to the seam, are evenly spread at the hem too, and never cross. Bones are evenly spaced along each
// chain. An extra kinematic bone lies halfway between neighbouring roots. Returns warnings for the user.
// Throws std::invalid_argument.
std::vector<std::string> layout_chains(Garment& garment, const ChainOptions& options);

// The same with explicit chains: lists of vertices from an attached one down, with a bone at each. Chains
// have to be in their order along the seam. Throws std::invalid_argument that names chain and vertex for a
// root that is not attached, a repeated or invalid vertex, and neighbours whose geodesic distance is much
// larger than their straight distance, as across a slit or a hole.
std::vector<std::string> layout_chains(Garment& garment, const std::vector<std::vector<uint32_t>>& by_hand);

}  // namespace billow::garment
