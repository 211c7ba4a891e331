// Moves limbs apart where their colliders overlap or nearly touch, so that cloth has room between them.
//
// Retargeting copies joint rotations from an actor to a person of another build, whose knees then pass
// through each other and whose arms sink into the trunk. Cloth between two rigid colliders that leave no gap
// can go nowhere but through them.
#pragma once

#include "body/person.h"
#include "motion/clip.h"

namespace billow::motion {

// Rotates thighs and upper arms by as little as leaves a gap, smoothly over time. The clip is of the person's
// skeleton. Returns the largest overlap found, in metres (negative: a gap).
float separate_limbs(const body::Person& person, Clip& clip);

}  // namespace billow::motion
