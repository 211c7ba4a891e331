// Accumulators over the frames of one set, and the figures computed from them.
#pragma once

#include "evaluate/histogram.h"
#include "research/comparison/measure.h"

namespace billow::research {

struct PenetrationSums {
  std::array<double, 4> vertices{}, edges{};
  double frames = 0, deepest = 0;  // deepest: m, positive inside

  void add(const PenetrationSums& other);
  Penetration figures(double all_frames, double all_vertices, double all_edges) const;
};

// Floating-point sums, added in the order of frames so that the result does not depend on the threads.
struct Totals {
  double frames = 0, velocity_frames = 0,
         acceleration_frames = 0;     // with at least 0, 1 and 2 preceding frames
  double squares = 0, max_error = 0;  // m^2, m
  double pushed_squares = 0;
  double space = 0, time = 0, strain = 0;
  PenetrationSums inside, pushed;
  double velocity = 0, true_velocity = 0,
         velocity_error = 0;  // sums of squares, per frame instead of per second
  double acceleration = 0, true_acceleration = 0, acceleration_error = 0;
  double surface_frames = 0, hausdorff = 0, chamfer = 0;

  void add(const Totals& other);
};

// Counts, which may be added in any order.
struct Counts {
  evaluate::Histogram errors_mm, strains;
};

Figures figures(const Totals& totals, const Counts& counts, size_t vertices, size_t edges,
                double frames_per_second);

}  // namespace billow::research
