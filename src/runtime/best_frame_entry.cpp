// Which copy of the frame runs.
#include <cstdlib>
#include <cstring>

#include "runtime/frame_entry.h"

#if defined(BILLOW_FRAME_COPIES)

namespace billow_avx2 {
extern const billow_frame_entry frame_entry;
}

namespace billow {
namespace {

const billow_frame_entry& find_best() {
  const char* const asked = std::getenv("BILLOW_PROCESSOR");
  const bool any = asked && std::strcmp(asked, "any") == 0;
  return __builtin_cpu_supports("avx2") && !any ? billow_avx2::frame_entry : frame_entry;
}

const billow_frame_entry& best = find_best();

}  // namespace

const billow_frame_entry& best_frame_entry() { return best; }

}  // namespace billow

#else

const billow_frame_entry& billow::best_frame_entry() { return frame_entry; }

#endif
