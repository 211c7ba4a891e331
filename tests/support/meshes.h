// Closed meshes for tests.
#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>

#include "body/mesh.h"

namespace billow::testing {

// An ellipsoid of half-axes `half` about the origin, as a grid of latitudes and longitudes.
inline body::Mesh ellipsoid_mesh(V3 half, uint32_t rows = 40, uint32_t columns = 60) {
  body::Mesh mesh;
  mesh.positions.push_back({0, half.y, 0});
  for (uint32_t i = 1; i < rows; ++i)
    for (uint32_t j = 0; j < columns; ++j) {
      const double a = std::numbers::pi * i / rows, b = 2 * std::numbers::pi * j / columns;
      mesh.positions.push_back({half.x * static_cast<float>(std::sin(a) * std::sin(b)),
                                half.y * static_cast<float>(std::cos(a)),
                                half.z * static_cast<float>(std::sin(a) * std::cos(b))});
    }
  mesh.positions.push_back({0, -half.y, 0});
  const uint32_t last = static_cast<uint32_t>(mesh.positions.size()) - 1;
  const auto at = [&](uint32_t i, uint32_t j) { return 1 + (i - 1) * columns + j % columns; };
  for (uint32_t j = 0; j < columns; ++j) {
    mesh.triangles.push_back({0, at(1, j), at(1, j + 1)});
    for (uint32_t i = 1; i + 1 < rows; ++i) {
      mesh.triangles.push_back({at(i, j), at(i + 1, j), at(i + 1, j + 1)});
      mesh.triangles.push_back({at(i, j), at(i + 1, j + 1), at(i, j + 1)});
    }
    mesh.triangles.push_back({at(rows - 1, j), last, at(rows - 1, j + 1)});
  }
  return mesh;
}

}  // namespace billow::testing
