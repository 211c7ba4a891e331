// Without Embree there are no rays (embree/trace.cpp): pictures are the rasteriser's.
#include "draw/canvas.h"

namespace billow::draw {

Image Canvas::trace(const Camera& camera, int, int) const { return render(camera); }
bool Canvas::can_trace() { return false; }

}  // namespace billow::draw
