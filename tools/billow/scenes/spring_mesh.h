// Cloth as a few masses joined by springs, which ropes are compared with: what it comes to rest as.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "draw/vec.h"

namespace billow::tool {

struct SpringMesh {
  std::vector<draw::Vec3> rest;
  std::vector<bool> pinned;
  std::vector<std::array<uint32_t, 2>> springs;  // the edges of triangles
  float mass = 0.01f;                            // kg a node
};

// Rows of `columns` nodes, those of the first column pinned, as squares cut into two triangles each.
SpringMesh spring_grid(std::vector<draw::Vec3> rest, uint32_t rows, uint32_t columns);

// The springs pull and push with `stiffness` newtons at a strain of 1. Starts from rest with a little out of plane, so that it
// may buckle, and ends when nothing moves any more.
std::vector<draw::Vec3> steady_state(const SpringMesh& mesh, double stiffness);

// The most that a spring is longer than at rest, as a share.
double most_stretch(const SpringMesh& mesh, const std::vector<draw::Vec3>& positions);

}  // namespace billow::tool
