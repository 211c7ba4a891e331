// Restores the lengths of the pattern in a decoded mesh.
//
// A mean of two folds is shorter than either, so what networks decode is stretched here and compressed there. This stage
// moves vertices until distances are those of cloth (length_levels.h), from coarse to fine, so that folds form as wide as
// cloth makes them. It is statics, not dynamics: it starts from the decoded mesh plus what it moved in the last frame, which
// fades, and stays within a bound of the decoded mesh, so it is stable at any step.
#pragma once

#include "decode/length_levels.h"
#include "decode/push_out_mesh.h"

namespace billow {

inline constexpr float kMostOffset = 0.2f;  // m at scale 1 from the decoded vertex

enum class LengthQuality { kOff, kLow, kHigh };

// State and scratch of an instance.
struct LengthState {
  int16_t* offsets = nullptr;  // x y z of each vertex in the frame of the key joint, in units of kOffsetUnit
  int16_t* places = nullptr;   // where each vertex was last, likewise, in units of kPlaceUnit
  Transform key{};             // at that time
  size_t vertices = 0;
  uint8_t fresh = 1;        // these are of no use: first frame, teleport, or frames without mesh
  float* points = nullptr;  // x y z 0 of vertices, one more than there are
  float* nodes = nullptr;   // the same of all coarser levels, and where these started
  float* start = nullptr;
  float* moved = nullptr;         // x y z, for push-out
  uint32_t* stretched = nullptr;  // pairs, for push-out of edges
};

struct LengthInput {
  float dt = 0, scale = 1;
  Transform key{};          // motion of the key joint from rest
  bool teleported = false;  // with the cloth, since the last frame
  std::span<const uint32_t> attached{};
  LengthQuality quality = LengthQuality::kHigh;
  // The body, with its motion since the last frame; none: no colliders.
  const PosedCollider* colliders = nullptr;
  int collider_count = 0;
  const uint32_t* clusters = nullptr;
  PushOutSettings push{};
};

// Takes memory for the state. With a null arena it only measures.
void take_length_state(const LengthLevels& levels, Arena& arena, LengthState& state);

// `positions` is padded by kLanes vertices.
void restore_lengths(const LengthLevels& levels, const LengthInput& input, float* positions,
                     const PushOutScratch& scratch, LengthState& state);

}  // namespace billow
