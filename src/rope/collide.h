// Shared by the two halves of the collide stage: bones with their ropes, and lateral segments.
#pragma once

#include "rope/push_out.h"

namespace billow {

// Brings bones that were moved back within rope length and out of the body.
V3x4 settle_bone(ChainSet& set, const Surroundings& around, size_t at, V3x4 x);

// Segments between the bones of one level on neighbouring chains.
void collide_lateral(ChainSet& set, const Surroundings& around, int level);

}  // namespace billow
