// Shared by the two halves of the collide stage: bones with their ropes, and lateral segments. Up to
// kQueryBatch groups of a level are processed together; they are independent of each other.
#pragma once

#include "rope/push_out.h"

namespace billow {

// Margin for rounding in tests of distances (metres).
inline constexpr float kQueryMargin = 1e-4f;

// Moves bones at x back within rope length and out of the body. Lanes that are not `doubtful` are known to be
// outside.
void settle_bones(ChainSet& set, const CollisionContext& context, int level, uint32_t groups, V3x4* x,
                  M4* doubtful);

// Broad phase: fills set.broad_phase[group] for a level, with colliders up to `beyond` farther than any contact.
void find_candidates(ChainSet& set, int level, int group, float beyond);

// Sets `context` to the candidates of a level's groups from `first` on, which find_candidates() found.
// Returns the number of groups.
int use_candidates(CollisionContext& context, const ChainSet& set, int level, int first);

// Segments between the bones of one level on neighbouring chains.
void collide_lateral(ChainSet& set, CollisionContext& context, int level);

}  // namespace billow
