// A coarse mass-spring cloth and its steady state, the baseline that ropes are compared with.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "draw/vec.h"

namespace billow::tool {

struct SpringMesh {
  std::vector<draw::Vec3> rest;
  std::vector<bool> pinned;
  std::vector<std::array<uint32_t, 2>> springs;  // node pairs: the edges of the triangles
  float mass = 0.01f;                            // kg per node
};

// A grid of rows x columns nodes, row by row, each square split into two triangles. The first column is pinned.
SpringMesh spring_grid(std::vector<draw::Vec3> rest, uint32_t rows, uint32_t columns);

// Node positions at equilibrium. `stiffness`: spring force in newtons at a strain of 1, in tension and compression. Starts
// from `rest` with a small out-of-plane perturbation, so that the mesh may buckle, and ends when motion has died down or
// after 30 s of simulated time.
std::vector<draw::Vec3> steady_state(const SpringMesh& mesh, double stiffness);

// The largest strain of a spring.
double most_stretch(const SpringMesh& mesh, const std::vector<draw::Vec3>& positions);

}  // namespace billow::tool
