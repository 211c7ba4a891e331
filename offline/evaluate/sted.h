// Spatio-temporal edge difference, after Vasa and Skala, "A Perception Correlated Comparison Method for
// Dynamic Meshes" (2011). It measures local differences in stretch and motion, which are more visible than a
// common offset.
//
//   space: e = |l' - l| / l for each edge of a frame, l its length in the reference. The standard deviation of e
//          over the edges at a vertex, weighted by l; averaged over all vertices and frames.
//   time:  s = sqrt(|x(t) - x(t - 1)|^2 + h^2) for each vertex, h the mean edge length of the pattern; the mean
//          of |s' - s| / s.
//   both:  sqrt(space^2 + (0.13 time)^2)
#pragma once

#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "garment/garment.h"

namespace billow::evaluate {

struct Edge {
  uint32_t a, b;
  float length;  // m, in the pattern
};
// Each edge once.
std::vector<Edge> edges_of(const garment::Garment& garment);

inline double sted(double space, double time) { return std::hypot(space, 0.13 * time); }

// `reference` and `lengths` are edge lengths of a frame; `vertices` is the number of vertices.
double sted_space(std::span<const Edge> edges, size_t vertices, std::span<const float> reference,
                  std::span<const float> lengths);
// Takes positions or displacements of a frame and the preceding one.
double sted_time(std::span<const float> reference_before, std::span<const float> reference,
                 std::span<const float> before, std::span<const float> now, double h);

}  // namespace billow::evaluate
