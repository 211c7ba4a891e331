// Small procedural cloths for tests.
#pragma once

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <numeric>
#include <vector>

#include "garment/garment.h"
#include "garment/mesh_file.h"
#include "support/random.h"

namespace billow::testing {

using garment::Garment;
using garment::GarmentMesh;
using garment::Triangle;

inline float as_float(double x) { return static_cast<float>(x); }

// A grid of positions at(i, j), i = 0..columns and j = 0..rows. A closed one has its last column joined to
// the first. `mess`: random diagonals and vertex positions, then random edge flips and a random vertex order.
struct GridOptions {
  uint32_t columns = 10, rows = 10;
  bool closed = false;
  bool mess = false;
};

// Flips random edges whose two triangles form a convex quadrilateral in grid coordinates.
inline void flip_edges(std::vector<Triangle>& triangles, const std::vector<std::array<double, 2>>& grid,
                       double period, Random& random, int times) {
  const auto area = [&](uint32_t a, uint32_t b, uint32_t c) {
    const auto wrap = [&](double x) { return period > 0 ? x - period * std::round(x / period) : x; };
    const double bx = wrap(grid[b][0] - grid[a][0]), cx = wrap(grid[c][0] - grid[a][0]);
    return bx * (grid[c][1] - grid[a][1]) - (grid[b][1] - grid[a][1]) * cx;
  };
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> half_edges;
  const auto add_edges = [&](uint32_t t) {
    for (size_t e = 0; e < 3; ++e) half_edges[{triangles[t][e], triangles[t][(e + 1) % 3]}] = t;
  };
  for (uint32_t t = 0; t < triangles.size(); ++t) add_edges(t);
  for (int k = 0; k < times; ++k) {
    const auto t = static_cast<uint32_t>(random.bits() % triangles.size());
    const size_t e = random.bits() % 3;
    const uint32_t a = triangles[t][e], b = triangles[t][(e + 1) % 3], c = triangles[t][(e + 2) % 3];
    const auto other = half_edges.find({b, a});
    if (other == half_edges.end()) continue;
    const uint32_t u = other->second;
    uint32_t d = a;
    for (const uint32_t v : triangles[u])
      if (v != a && v != b) d = v;
    const double min_area = 0.15 * (area(a, b, c) + area(b, a, d));
    if (!(area(c, a, d) > min_area) || !(area(d, b, c) > min_area) || half_edges.count({c, d}) ||
        half_edges.count({d, c}))
      continue;
    half_edges.erase({a, b});
    half_edges.erase({b, a});
    triangles[t] = {c, a, d};
    triangles[u] = {d, b, c};
    add_edges(t);
    add_edges(u);
  }
}

template <class At> GarmentMesh make_grid(const GridOptions& o, At at, uint32_t seed = 1) {
  Random random(seed);
  GarmentMesh mesh;
  std::vector<std::array<double, 2>> grid;
  const uint32_t wide = o.closed ? o.columns : o.columns + 1;
  for (uint32_t j = 0; j <= o.rows; ++j)
    for (uint32_t i = 0; i < wide; ++i) {
      const bool rim_i = !o.closed && (i == 0 || i == o.columns), rim_j = j == 0 || j == o.rows;
      const double u = i + (o.mess && !rim_i ? random.uniform(-0.3, 0.3) : 0);
      const double v = j + (o.mess && !rim_j ? random.uniform(-0.3, 0.3) : 0);
      mesh.positions.push_back(at(u / o.columns, v / o.rows));
      grid.push_back({u, v});
    }
  const auto id = [&](uint32_t i, uint32_t j) { return j * wide + i % wide; };
  for (uint32_t j = 0; j < o.rows; ++j)
    for (uint32_t i = 0; i < o.columns; ++i) {
      const uint32_t a = id(i, j), b = id(i + 1, j), c = id(i + 1, j + 1), d = id(i, j + 1);
      if (o.mess && random.bits() % 2) {
        mesh.triangles.push_back({a, d, b});
        mesh.triangles.push_back({d, c, b});
      } else {
        mesh.triangles.push_back({a, d, c});
        mesh.triangles.push_back({a, c, b});
      }
    }
  if (!o.mess) return mesh;
  flip_edges(mesh.triangles, grid, o.closed ? o.columns : 0, random, static_cast<int>(o.columns * o.rows));
  // Shuffle the vertex order.
  std::vector<uint32_t> remap(mesh.positions.size());
  std::iota(remap.begin(), remap.end(), 0);
  for (size_t k = remap.size(); k > 1; --k) std::swap(remap[k - 1], remap[random.bits() % k]);
  std::vector<V3> moved(remap.size());
  for (size_t v = 0; v < remap.size(); ++v) moved[remap[v]] = mesh.positions[v];
  mesh.positions = moved;
  for (Triangle& t : mesh.triangles)
    for (uint32_t& v : t) v = remap[v];
  return mesh;
}

// A flat sheet in x and z, its first row at z = 0.
inline GarmentMesh make_sheet(float width, float height, GridOptions options, uint32_t seed = 1) {
  return make_grid(
      options,
      [&](double u, double v) {
        return V3{width * as_float(u), 1, height * as_float(v)};
      },
      seed);
}

// A tube about the y axis: radius and height as functions of (fraction of a turn, fraction of the way down).
template <class Radius, class Height>
GarmentMesh make_tube(GridOptions options, Radius radius, Height height, uint32_t seed = 1) {
  options.closed = true;
  return make_grid(
      options,
      [&](double u, double v) {
        const double a = 2 * std::numbers::pi * u, r = radius(u, v);
        return V3{as_float(r * std::sin(a)), as_float(height(u, v)), as_float(r * std::cos(a))};
      },
      seed);
}

// A dress from the chest of the built-in person to below the knees: close-fitting above, wide with folds
// below, with an uneven hem and irregular triangles.
inline GarmentMesh make_dress(uint32_t columns = 60, uint32_t rows = 50) {
  const double pi = std::numbers::pi;
  const auto radius = [pi](double u, double v) {
    const double below = std::max(0.0, v - 0.3);
    return 0.15 + 0.05 * std::pow(std::fabs(v - 0.3) / 0.3, 2) * (v < 0.3 ? 1 : 0) + 0.30 * below +
           below * 0.05 * std::sin(8 * 2 * pi * u);
  };
  const auto height = [pi](double u, double v) {
    return 1.32 - v * (0.92 + 0.07 * std::sin(2 * 2 * pi * u));
  };
  return make_tube({.columns = columns, .rows = rows, .closed = true, .mess = true}, radius, height, 7);
}

// The mesh without the triangles whose centroids are chosen and without vertices that are then unused.
template <class Chosen> GarmentMesh without(const GarmentMesh& mesh, Chosen chosen) {
  GarmentMesh out;
  std::vector<uint32_t> remap(mesh.positions.size(), ~0u);
  for (const Triangle& t : mesh.triangles) {
    if (chosen((mesh.positions[t[0]] + mesh.positions[t[1]] + mesh.positions[t[2]]) * (1.0f / 3))) continue;
    for (const uint32_t v : t)
      if (remap[v] == ~0u)
        remap[v] = static_cast<uint32_t>(out.positions.size()), out.positions.push_back(mesh.positions[v]);
    out.triangles.push_back({remap[t[0]], remap[t[1]], remap[t[2]]});
  }
  return out;
}

// The mesh as a garment; vertices for which `attached` is true are attached to joint 0.
template <class Attached> Garment as_garment(const GarmentMesh& mesh, Attached attached) {
  Garment g;
  g.name = "test";
  g.key_joint = "pelvis";
  g.triangles = mesh.triangles;
  g.shape = mesh.positions;
  for (uint32_t v = 0; v < g.size(); ++v)
    if (attached(g.shape[v])) g.attachments.push_back({v, {0, 0, 0, 0}, {1, 0, 0, 0}, g.shape[v]});
  return g;
}

}  // namespace billow::testing
