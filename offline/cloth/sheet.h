// Cloth as the simulator sees it: fabric, masses, stretch constraints and a bending matrix. SI units.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/vec.h"

namespace billow::cloth {

struct Material {
  float density = 0.15f;     // kg/m2
  float stretch = 4000;      // N/m, Young's modulus times thickness
  float bending = 1.0e-5f;   // N m, rigidity of a strip one metre wide
  float damping = 0.0005f;   // s, of bending: ratio of damping to stiffness (Rayleigh)
  float thickness = 0.004f;  // m, distance kept from the body
  float friction = 0.3f;     // Coulomb, cloth on skin
  float self_friction = 0.3f;
  float drag = 1.1f;  // coefficient of a plate perpendicular to the flow
  float lift = 0.5f;
};

// "cotton", "wool" and "silk": densities and bending rigidities as measured by the Kawabata system (S.
// Kawabata, "The Standardization and Analysis of Hand Evaluation", 1980). Throws std::invalid_argument for
// other names.
Material material_named(std::string_view name);
const std::vector<std::string>& material_names();

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
  // Stretch constraints, coloured: no two edges of a group share a vertex. Group k is edges[group_start[k]]
  // up to edges[group_start[k + 1]].
  std::vector<StretchEdge> edges;
  std::vector<uint32_t> group_start;
  // Bending stiffness as a sparse matrix in compressed rows, N/m: the force on vertex v is the negative sum
  // of value[i] * x[column[i]] for i from row_start[v] to row_start[v + 1].
  std::vector<uint32_t> row_start, column;
  std::vector<float> value;
  // Positions on the unstretched cloth, with connected components moved far apart. Vertices that are close
  // here are excluded from self-contact.
  std::vector<V3> rest_position;
  float spacing = 0;           // m, mean edge length
  float max_step = 0;          // s, stability limit of explicit bending forces
  size_t softened_hinges = 0;  // across slivers, whose bending no step of practical length could follow

  size_t size() const { return mass.size(); }
};

// `unstretched`: the flat pattern, or the shape as modelled. Edge stiffness: Van Gelder, "Approximate
// Simulation of Elastic Membranes by Triangulated Spring Meshes" (1998). Bending: Bergou, Wardetzky, Harmon,
// Zorin and Grinspun, "A Quadratic Bending Model for Inextensible Surfaces" (2006), for cloth that is flat at
// rest. Throws std::invalid_argument for invalid or degenerate triangles and edges of more than two
// triangles.
Sheet make_sheet(std::span<const V3> unstretched, std::span<const Triangle> triangles,
                 const Material& material);

}  // namespace billow::cloth
