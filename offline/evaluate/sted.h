// Spatio-temporal edge difference, after Vasa and Skala, "A Perception Correlated Comparison Method for Dynamic Meshes"
// (2011): how differently cloth is stretched from place to place and how differently it moves, which the eye sees before
// it sees that all of it is somewhere else.
//
//   space: e = |l' - l| / l for each edge of a frame, l its length in the reference. Of the edges that meet at a vertex
//          the standard deviation of e, weighted by l; the mean of it over all vertices and frames.
//   time:  s = sqrt(|x(t) - x(t - 1)|^2 + h^2) for each vertex, h the mean edge as cut; the mean of |s' - s| / s.
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
  float length;  // m, as cut
};
// Each edge once.
std::vector<Edge> edges_of(const garment::Garment& garment);

inline double sted(double space, double time) { return std::hypot(space, 0.13 * time); }

// `reference` and `lengths`: of the edges of a frame. `vertices`: how many there are.
double sted_space(std::span<const Edge> edges, size_t vertices, std::span<const float> reference,
                  std::span<const float> lengths);
// Places, or displacements, of a frame and the one before it. `h`: as above.
double sted_time(std::span<const float> reference_before, std::span<const float> reference,
                 std::span<const float> before, std::span<const float> now, double h);

}  // namespace billow::evaluate
