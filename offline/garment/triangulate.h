// Polygons in space as triangles.
#pragma once

#include <span>
#include <vector>

#include "core/vec.h"
#include "garment/pattern.h"

namespace billow::garment {

// Cuts off ears, the best-shaped first, as seen along the polygon's mean normal: right for concave polygons too. Corners
// are vertices in `positions`; as many triangles as corners less two are added.
void triangulate(std::span<const V3> positions, std::span<const uint32_t> corners,
                 std::vector<Triangle>& out);

}  // namespace billow::garment
