// Pixels in which a body shows through the cloth that covers it: what a viewer sees of cloth inside a body.
#pragma once

#include "draw/mesh.h"
#include "draw/view.h"

namespace billow::draw {

// Counts the pixels whose ray enters the body before it meets cloth, and meets cloth before it leaves the body. Bare skin beside or
// in front of cloth does not count. The body is closed, with counter-clockwise triangles seen from outside; both are beyond the
// near plane.
size_t count_show_through(const MeshView& body, const MeshView& cloth, const Camera& camera, int width,
                          int height);

}  // namespace billow::draw
