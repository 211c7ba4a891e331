// Run-time dispatch of the frame. On x86-64 the library holds everything that runs in a frame twice: for any processor, and compiled
// for AVX2 in a namespace of its own (src/CMakeLists.txt). Both give the same bits.
#pragma once

#include <cstddef>
#include <cstdint>

// Entry points of one copy. Each copy has types of its own, hence the void pointers.
struct billow_frame_entry {
  void (*step_chains)(void* chains, const void* input);
  void (*step_instances)(void* instances, size_t count, const void* inputs);
  // Distances of points to the colliders of some groups of a body, as in sdf/query_points.h.
  void (*query_body)(const void* body, uint32_t groups, const float* points, uint32_t count, float limit,
                     float* distances, float* gradients, int32_t* colliders);
  // pose_layer() of runtime/layer.h.
  void (*pose_layer)(void* layer, const void* inner, void* body);
};

namespace billow {

// The entry points of this copy.
extern const billow_frame_entry frame_entry;

// The entry points of the best copy for this processor.
const billow_frame_entry& best_frame_entry();

}  // namespace billow
