// Which copy of the frame runs.
#include "core/processor.h"
#include "runtime/frame_entry.h"

#if defined(BILLOW_FRAME_COPIES)

namespace billow_avx2 {
extern const billow_frame_entry frame_entry;
}

const billow_frame_entry& billow::best_frame_entry() {
  return billow_this_processor.avx2 ? billow_avx2::frame_entry : frame_entry;
}

#else

const billow_frame_entry& billow::best_frame_entry() { return frame_entry; }

#endif
