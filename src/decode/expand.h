// From coefficients to the vertices of the cloth.
#pragma once

#include "core/vec.h"
#include "net/matrix.h"

namespace billow {

// Displacements x y z of all vertices: both expansions and both means in one pass over one matrix. `coefficients` are as the
// basis has its columns; those that are not finite become 0. Both have room for whole panels.
void expand(const PackedMatrix& basis, float* coefficients, const QuantisedVector& scratch,
            float* displacements);

// Where the vertices are in the world: the rest and what differs from it, scaled, turned and moved. `positions` (x y z each)
// has room for a group of lanes more. Displacements are limited to 1 km, and those that are no numbers count as -1 km: whatever
// networks say, places are finite.
void place(const float* rest, const float* displacements, size_t vertices, const Transform& world,
           float scale, float* positions);

}  // namespace billow
