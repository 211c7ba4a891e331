// Shared by the two halves of the collide stage: bones with their ropes, and lateral segments. Groups of a level are
// worked on together, up to kQueryTogether of them: they have nothing to do with each other.
#pragma once

#include "rope/push_out.h"

namespace billow {

// Rounding may hide so much of how near something is (metres).
inline constexpr float kLookFarther = 1e-4f;

// Brings bones at x that were moved back within rope length and out of the body. Lanes that are not doubtful are known
// to be out where they are.
void settle_bones(ChainSet& set, const CollisionContext& context, int level, uint32_t groups, V3x4* x,
                  M4* doubtful);

// Fills set.nearby[group] for a level.
void find_candidates(ChainSet& set, int level, int group);

// Points `around` at what find_candidates() found for groups of the level at hand, from `first` on. How many these are.
int use_candidates(CollisionContext& context, const ChainSet& set, int level, int first);

// Segments between the bones of one level on neighbouring chains.
void collide_lateral(ChainSet& set, CollisionContext& context, int level);

}  // namespace billow
