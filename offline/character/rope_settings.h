// Settings of rope chains that stand for a garment's cloth.
#pragma once

#include <billow/billow.h>

#include "garment/garment.h"

namespace billow::character {

// What follows from the garment's material and cut (mass, air, thickness, friction), with the rest as fitted to the built-in
// skirt for a ring of chains, else to the built-in cape: docs/ropes.md says how.
billow_settings rope_settings(const garment::Garment& garment);

}  // namespace billow::character
