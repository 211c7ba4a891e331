// What is summed up over frames of one set, and the figures that come of it.
#pragma once

#include "evaluate/histogram.h"
#include "evaluate/measure.h"

namespace billow::evaluate {

struct PenetrationSums {
  std::array<double, 4> vertices{}, edges{};
  double frames = 0, deepest = 0;  // deepest: m, positive inside

  void add(const PenetrationSums& other);
  Penetration figures(double all_frames, double all_vertices, double all_edges) const;
};

// Everything that is summed in the order of frames, so that the result does not depend on threads.
struct Totals {
  double frames = 0, steps = 0, turns = 0;  // steps: with a frame before, turns: with two
  double squares = 0, most = 0;             // m^2, m
  double pushed_squares = 0;
  double space = 0, time = 0, strain = 0;
  PenetrationSums inside, pushed;
  double velocity = 0, true_velocity = 0, velocity_error = 0;  // squares
  double acceleration = 0, true_acceleration = 0, acceleration_error = 0;
  double surface_frames = 0, hausdorff = 0, chamfer = 0;

  void add(const Totals& other);
};

// Counts, which come out the same in any order.
struct Counts {
  Histogram errors_mm, strains;
};

Figures figures(const Totals& totals, const Counts& counts, size_t vertices, size_t edges,
                double frames_per_second);

}  // namespace billow::evaluate
