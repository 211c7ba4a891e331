// A piece of cloth as the simulator sees it: masses, edges that keep their length, a bending force.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "cloth/material.h"
#include "core/vec.h"

namespace billow::cloth {

using Triangle = std::array<uint32_t, 3>;

struct StretchEdge {
  uint32_t a, b;
  float length;      // m, at rest
  float compliance;  // m/N
};

struct Sheet {
  Material material;
  std::vector<Triangle> triangles;
  std::vector<float> mass;  // kg, per vertex
  // Edges in groups; no two of a group share a vertex. Group k is edges[group_start[k]] to group_start[k + 1].
  std::vector<StretchEdge> edges;
  std::vector<uint32_t> group_start;
  // The bending force on vertex v is -sum of value[i] x[column[i]], i from row_start[v] to row_start[v + 1]. N/m.
  std::vector<uint32_t> row_start, column;
  std::vector<float> value;
  // Places on the unstretched cloth; its pieces lie far apart. What is near in here does not collide.
  std::vector<V3> place;
  float spacing = 0;      // m, the mean edge
  float steady_step = 0;  // s, the longest over which the bending force may be taken as steady

  size_t size() const { return mass.size(); }
};

// `unstretched`: the cloth as it is cut, flat or as modelled.
// Edge stiffness: Van Gelder, "Approximate Simulation of Elastic Membranes by Triangulated Spring Meshes" (1998).
// Bending: Bergou, Wardetzky, Harmon, Zorin and Grinspun, "A Quadratic Bending Model for Inextensible Surfaces"
// (2006), for cloth that is flat at rest. Throws std::invalid_argument for triangles that do not exist, are
// degenerate, or meet in threes at an edge.
Sheet make_sheet(std::span<const V3> unstretched, std::span<const Triangle> triangles,
                 const Material& material);

}  // namespace billow::cloth
