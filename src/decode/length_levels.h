// Which distances cloth keeps, from coarse to fine.
//
// Level 0 holds the vertices and their edges. Each level above it holds a part of the nodes below, about twice as far
// apart, and pairs of nodes that are neighbours on the pattern. A pair may be no longer than on the pattern, and no shorter
// than cloth usually folds over that distance: along the direction from the attachments to the hem cloth hangs nearly
// straight, across it folds. Distances on the pattern are measured by unfolding triangles around a node, so that they cross
// seams.
#pragma once

#include "core/arena.h"
#include "core/simd.h"
#include "decode/fairing.h"

namespace billow {

inline constexpr int kMaxLengthLevels = 6;
inline constexpr int kLengthParents = 4;
inline constexpr int kPairGroup = 8;

// Pairs in groups of kPairGroup that share no node, so that a group can be processed in any order or at once.
struct LengthPairs {
  uint32_t groups = 0;
  uint32_t* ends =
      nullptr;  // per group: the first node of all its pairs, then the second, as bytes (point_pairs.h)
  // Per group: the longest distance of all its pairs in m, the shortest, and the share of a correction that moves the first
  // node; the rest moves the second. Attached nodes have no share.
  float* bounds = nullptr;
};

struct LengthLevel {
  uint32_t nodes = 0;          // node `nodes` is one more that pads groups
  uint32_t* vertex = nullptr;  // of each node; null for level 0, whose nodes are the vertices
  LengthPairs pairs;
  // How the level above moves each node: kLengthParents nodes of that level and their shares. Null for the coarsest level.
  uint32_t* parents = nullptr;
  float* shares = nullptr;
};

struct LengthLevels {
  LengthLevel level[kMaxLengthLevels];
  Fairing fairing;
  int count = 0;  // 0: the mesh has no edge
};

// The levels of a mesh, in scratch memory. With a null arena it only measures.
LengthLevels find_length_levels(const LengthMesh& mesh, Arena& scratch);
// A copy of them; with a null arena it only measures.
LengthLevels copy_of(const LengthLevels& levels, Arena& arena);

}  // namespace billow
