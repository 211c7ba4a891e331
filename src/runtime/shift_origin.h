// Moves what is in world space when an engine moves the origin of its world: all that the next frame starts from, and what
// readers give.
#pragma once

#include "runtime/instance.h"

namespace billow {

void shift_origin(Body& body, V3 offset);
void shift_origin(Chains& chains, V3 offset);
// Chains included; the body is another object.
void shift_origin(Instance& instance, V3 offset);

}  // namespace billow
