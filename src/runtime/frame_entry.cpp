#include "runtime/frame_entry.h"

#include "runtime/instance.h"

namespace billow {

const billow_frame_entry frame_entry{
    [](void* chains, const void* input) {
      step(*static_cast<Chains*>(chains), *static_cast<const StepInput*>(input));
    },
    [](void* instances, size_t count, const void* inputs) {
      step({static_cast<Instance* const*>(instances), count}, static_cast<const FrameInput*>(inputs));
    }};

}  // namespace billow
