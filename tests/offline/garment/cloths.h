// Small cloths for tests.
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

// A grid of places at(i, j), i = 0..columns and j = 0..rows. A closed one has its last column attached to the first.
// `mess`: diagonals at random, then random edges flipped and vertices renumbered.
struct GridOptions {
  uint32_t columns = 10, rows = 10;
  bool closed = false;
  bool mess = false;
};

// Flips edges between triangles whose two outlines together stay convex in (i, j).
inline void flip_edges(std::vector<Triangle>& triangles,
                       const std::vector<std::array<double, 2>>& pattern_uvs, double period, Random& random,
                       int times) {
  const auto area = [&](uint32_t a, uint32_t b, uint32_t c) {
    const auto wrap = [&](double x) { return period > 0 ? x - period * std::round(x / period) : x; };
    const double bx = wrap(pattern_uvs[b][0] - pattern_uvs[a][0]),
                 cx = wrap(pattern_uvs[c][0] - pattern_uvs[a][0]);
    return bx * (pattern_uvs[c][1] - pattern_uvs[a][1]) - (pattern_uvs[b][1] - pattern_uvs[a][1]) * cx;
  };
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> sides;
  const auto note = [&](uint32_t t) {
    for (size_t e = 0; e < 3; ++e) sides[{triangles[t][e], triangles[t][(e + 1) % 3]}] = t;
  };
  for (uint32_t t = 0; t < triangles.size(); ++t) note(t);
  for (int k = 0; k < times; ++k) {
    const auto t = static_cast<uint32_t>(random.bits() % triangles.size());
    const size_t e = random.bits() % 3;
    const uint32_t a = triangles[t][e], b = triangles[t][(e + 1) % 3], c = triangles[t][(e + 2) % 3];
    const auto other = sides.find({b, a});
    if (other == sides.end()) continue;
    const uint32_t u = other->second;
    uint32_t d = a;
    for (const uint32_t v : triangles[u])
      if (v != a && v != b) d = v;
    const double least = 0.15 * (area(a, b, c) + area(b, a, d));
    if (!(area(c, a, d) > least) || !(area(d, b, c) > least) || sides.count({c, d}) || sides.count({d, c}))
      continue;
    sides.erase({a, b});
    sides.erase({b, a});
    triangles[t] = {c, a, d};
    triangles[u] = {d, b, c};
    note(t);
    note(u);
  }
}

template <class At> GarmentMesh make_grid(const GridOptions& o, At at, uint32_t seed = 1) {
  Random random(seed);
  GarmentMesh mesh;
  std::vector<std::array<double, 2>> pattern_uvs;
  const uint32_t wide = o.closed ? o.columns : o.columns + 1;
  for (uint32_t j = 0; j <= o.rows; ++j)
    for (uint32_t i = 0; i < wide; ++i) {
      const bool rim_i = !o.closed && (i == 0 || i == o.columns), rim_j = j == 0 || j == o.rows;
      const double u = i + (o.mess && !rim_i ? random.uniform(-0.3, 0.3) : 0);
      const double v = j + (o.mess && !rim_j ? random.uniform(-0.3, 0.3) : 0);
      mesh.positions.push_back(at(u / o.columns, v / o.rows));
      pattern_uvs.push_back({u, v});
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
  flip_edges(mesh.triangles, pattern_uvs, o.closed ? o.columns : 0, random,
             static_cast<int>(o.columns * o.rows));
  // Renumber.
  std::vector<uint32_t> now(mesh.positions.size());
  std::iota(now.begin(), now.end(), 0);
  for (size_t k = now.size(); k > 1; --k) std::swap(now[k - 1], now[random.bits() % k]);
  std::vector<V3> moved(now.size());
  for (size_t v = 0; v < now.size(); ++v) moved[now[v]] = mesh.positions[v];
  mesh.positions = moved;
  for (Triangle& t : mesh.triangles)
    for (uint32_t& v : t) v = now[v];
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

// A tube about the y axis: `radius` and height at (turn 0..1, down 0..1).
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

// A dress from the chest of the built-in person to below its knees: tight above, wide and in folds below, its hem not
// level, its triangles a mess.
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

// The mesh without the triangles whose middles are chosen, and without vertices that are then in none.
template <class Chosen> GarmentMesh without(const GarmentMesh& mesh, Chosen chosen) {
  GarmentMesh out;
  std::vector<uint32_t> now(mesh.positions.size(), ~0u);
  for (const Triangle& t : mesh.triangles) {
    if (chosen((mesh.positions[t[0]] + mesh.positions[t[1]] + mesh.positions[t[2]]) * (1.0f / 3))) continue;
    for (const uint32_t v : t)
      if (now[v] == ~0u)
        now[v] = static_cast<uint32_t>(out.positions.size()), out.positions.push_back(mesh.positions[v]);
    out.triangles.push_back({now[t[0]], now[t[1]], now[t[2]]});
  }
  return out;
}

// The mesh as a garment whose vertices above a height (or by another rule) are attached to one joint.
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
