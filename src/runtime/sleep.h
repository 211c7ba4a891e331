// Sleep: chains that have come to rest on roots and colliders that stand still are not stepped until something moves.
#pragma once

#include <cstdint>

namespace billow {

struct Chains;
struct StepInput;

// State.
struct Sleep {
  float stirred = 0;      // m, that roots and colliders have moved since they stand still
  float resting = 0;      // s, for which they have stood still and no bone has gone far
  int32_t colliders = 0;  // that are near
  uint8_t asleep = 0;
};

// Chains that sleep go on, and all rest anew before they sleep.
void wake(Chains& chains);

// For a prepared frame in which time passes: wakes the chains if roots or colliders move.
void watch_inputs(Chains& chains, const StepInput& in);

// After the sub-steps of a frame: puts chains to sleep whose bones have rested for long enough.
void watch_bones(Chains& chains, float dt);

}  // namespace billow
