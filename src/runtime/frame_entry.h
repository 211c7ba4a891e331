// Where a frame begins, for the processor that it runs on. On x86-64 all that runs in a frame is in the library twice: built for any
// processor, and for those with AVX2 in a namespace of its own (src/CMakeLists.txt). Both give the same bits.
#pragma once

#include <cstddef>

// Of one copy. Each has types of its own, hence none are named here.
struct billow_frame_entry {
  void (*step_chains)(void* chains, const void* input);
  void (*step_instances)(void* instances, size_t count, const void* inputs);
};

namespace billow {

// That of this copy.
extern const billow_frame_entry frame_entry;

// That of the best copy for this processor.
const billow_frame_entry& best_frame_entry();

}  // namespace billow
