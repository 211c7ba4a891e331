// Shared by the two halves of the collide stage: bones with their ropes, and lateral segments.
#pragma once

#include "rope/push_out.h"

namespace billow {

// Brings bones that were moved back within rope length and out of the body.
V3x4 settle_bone(ChainSet& set, const Surroundings& around, size_t at, V3x4 x);

// Fills set.nearby[group] for a level.
void find_nearby(ChainSet& set, int level, int group);

// Points `around` at what find_nearby() found for a group of the level at hand.
inline void look_near(Surroundings& around, const ChainSet& set, int group) {
  const Nearby& n = set.nearby[group];
  around.obstacles.numbers = n.touching;
  around.obstacles.count = n.touching_count;
  around.crossed.numbers = n.crossing;
  around.crossed.count = n.crossing_count;
}

// Segments between the bones of one level on neighbouring chains.
void collide_lateral(ChainSet& set, Surroundings around, int level);

}  // namespace billow
