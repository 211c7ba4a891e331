// The stages of a frame that depend on the form in which the cloth was learnt: of the whole, or by patches.
#pragma once

#include "runtime/instance.h"

namespace billow {

// Where bones are in the world.
void gather_bones(Instance& instance);
// Adds what rope chains were found to be off, as far as that is linear in where they are.
void correct_bones(Instance& instance, float scale);

namespace whole_cloth {
void gather(Instance& instance, float scale);
void infer(Instance& instance);
void expand(Instance& instance, float scale);
}  // namespace whole_cloth

namespace by_patches {
void gather(Instance& instance, float scale);
void infer(Instance& instance);
void expand(Instance& instance, float scale);
}  // namespace by_patches

}  // namespace billow
