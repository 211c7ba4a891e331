// Chains of virtual bones, laid on any garment from its seam to its hem.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "garment/garment.h"

namespace billow::garment {

struct ChainOptions {
  size_t chains = 20;
  size_t bones = 10;     // of each chain, besides its root
  float spacing = 0;     // m between bones; then `bones` is not used and longer chains have more
  float margin = 0.03f;  // of the seam's length, from the ends of an open seam to the first and last chain
};

inline constexpr size_t kMaxChains = 1000, kMaxBonesOfChain = 1000;

// Fills bones, chains and ring of a garment whose attachments are there. Roots are evenly spaced along the seam;
// chains follow the gradient of the distance from the seam down to the hem, where they are evenly spread too, and
// never cross; bones are evenly spaced along each. Half way between two roots there is one more bone that follows
// the body. A closed seam makes a ring. Returns what a user should know, in sentences. Throws std::invalid_argument
// (garment/seam.h).
std::vector<std::string> layout_chains(Garment& garment, const ChainOptions& options);

// The same with chains given as lists of vertices, each from an attached vertex down: a bone at each of them.
// Chains have to be in their order along the seam. Throws std::invalid_argument that names the chain and the
// vertex: not attached at its root, used twice, not a vertex, or two in a row that are much farther apart along the
// cloth than straight through the air, as across a slit or a hole.
std::vector<std::string> layout_chains(Garment& garment, const std::vector<std::vector<uint32_t>>& by_hand);

}  // namespace billow::garment
