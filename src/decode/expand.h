// Decoding of the whole cloth: from coefficients to vertex positions.
#pragma once

#include "core/vec.h"
#include "net/matrix.h"

namespace billow {

// Displacements (x y z) of all vertices. Both bases and both means are columns of one matrix, so it is one
// pass. `coefficients` are in the order of the columns; those that are not finite become 0. Both arrays are
// padded to whole panels.
void expand(const PackedMatrix& basis, float* coefficients, const QuantisedVector& scratch,
            float* displacements);

// World positions of the vertices: rest plus displacement, scaled, rotated and translated. `positions` (x y
// z) is padded by kLanes vertices. Displacements are clamped to 1 km, NaN to -1 km, so positions are finite
// whatever the networks return.
void place_vertices(const float* rest, const float* displacements, size_t vertices, const Transform& world,
                    float scale, float* positions);

}  // namespace billow
