// The stages of a frame that depend on the form in which the cloth was learnt: of the whole, or by patches.
#pragma once

#include <span>

#include "runtime/instance.h"

namespace billow {

// Where bones are in the world.
void gather_bones(Instance& instance);
// Adds what rope chains are found to be off.
void correct_bones(Instance& instance, float scale);
// Where bones are without the key joint's motion: Instance::places.
void place_bones(Instance& instance, float scale);

namespace whole_cloth {
void gather(Instance& instance, float scale);
void infer(Instance& instance);
void expand(Instance& instance, float scale);
}  // namespace whole_cloth

// Linear blend skinning in their place, whatever the form.
namespace by_blending {
void gather(Instance& instance, float scale);
void expand(Instance& instance, float scale);
}  // namespace by_blending

// Of several characters in the same garment at once: the weights of a patch are read once for all of them. What comes out is the same,
// to the bit, as one by one.
namespace by_patches {
void gather(Instance& instance, float scale);
void infer(std::span<Instance* const> instances);
void expand(std::span<Instance* const> instances, const FrameInput* inputs);
}  // namespace by_patches

}  // namespace billow
