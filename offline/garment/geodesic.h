// Distances along a cloth: how far each vertex is from the nearest of some others, on the surface. Metres.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "core/vec.h"
#include "garment/pattern.h"

namespace billow::garment {

// Fronts run over the triangles (fast marching, after Kimmel and Sethian, "Computing geodesic paths on manifolds",
// 1998), so that ways cross faces and do not only follow edges. Where the front came from is carried along: circles
// round single vertices (after Novotni and Klein, "Computing geodesic distances on triangular meshes", 2002), lines
// from rows of them. A vertex is updated again when a better way turns up, which does for obtuse triangles what
// unfolding them would. Infinity for vertices that cannot be reached or are farther than `reach`. Throws
// std::invalid_argument without sources, and for those that are no vertices.
std::vector<float> geodesic_distances(std::span<const V3> positions, std::span<const Triangle> triangles,
                                      std::span<const uint32_t> sources,
                                      float reach = std::numeric_limits<float>::infinity());

}  // namespace billow::garment
