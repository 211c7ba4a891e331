// Edges in the data term of patches. Vertices that are a little off together are cloth that is a little off; neighbours that are off by
// different amounts are cloth that is stretched, which the eye sees at once. With d = c - c* of one coordinate:
//
//   |d|^2 + weight * sum over edges |d_a - d_b|^2  =  |d L|^2
#pragma once

#include <array>

#include "learn/patch_model.h"

namespace billow::train {

// The L of each network's patches, components x components. An edge counts with the root of both its vertices' shares.
std::vector<learn::Matrix> edge_factors(const learn::PatchModel& model,
                                        const std::vector<std::array<uint32_t, 3>>& triangles, double weight);

}  // namespace billow::train
