// Levels of detail in time. Chains and mesh may be computed in every n-th frame only. In the frames between, the mesh goes with
// the key joint, and from what was shown to what was computed in equal parts. A change of options can be blended likewise.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/arena.h"
#include "core/vec.h"

namespace billow {

struct Instance;
struct FrameInput;

inline constexpr uint32_t kMostInterval = 16, kMostBlend = 240;  // frames

struct InBetween {
  uint32_t frame = 0;  // counts frames in which time passes: every n-th is due
  float waited = 0;    // s since the last frame that was due
  uint32_t left = 0;   // frames until what is shown is what was computed
  uint8_t known = 0;   // what is shown and what was computed are in the arrays below
  uint8_t blend = 0;   // options have changed, and what is shown is to be kept
  // x y z of each vertex in the frame of the key joint, in units of kPlaceUnit. Known only while they may differ from the mesh.
  int16_t *shown = nullptr, *computed = nullptr;
  size_t values = 0;
  Transform key{}, before{};  // motion of the key joint for which the mesh is placed, and what it moved from
  float scale = 0;            // with it; 0: there was no frame yet
  bool shows = false;         // the mesh is there; a saved state has none
};

// Takes memory. With a null arena it only measures.
void take_in_between(size_t vertices, Arena& arena, InBetween& state);

// Whether chains and mesh are to be computed in this frame.
bool is_due(const Instance& instance, const FrameInput& input);

// Before the stages of a frame that is due: keeps what is shown, if changed options are to be blended.
void keep_shown(Instance& instance);

// After them: shows the mesh that was computed (`now`: in this frame), or what is between. Whether positions have changed.
bool show_in_between(Instance& instance, const FrameInput& input, bool due, bool now);

}  // namespace billow
