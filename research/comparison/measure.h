// Measures predicted cloth against the reference, on each set of a data set. docs/evaluation.md defines the
// figures.
//
// Displacements are compared in the frame of the key joint. Figures over time (velocities, the temporal part
// of STED) use the preceding frames of the clip, whichever set they belong to.
#pragma once

#include <array>
#include <vector>

#include "body/surface.h"
#include "research/comparison/predictor.h"

namespace billow::research {

inline constexpr std::array<dataset::Part, 4> kSets{dataset::Part::kTrain, dataset::Part::kValidation,
                                                    dataset::Part::kHoldout, dataset::Part::kUnseen};
inline constexpr std::array<const char*, 4> kSetNames{"train", "validation", "holdout", "unseen"};

inline constexpr std::array<float, 4> kDepths{0, 0.001f, 0.002f, 0.005f};  // m

// Percentages of vertices, and of edge midpoints, that are deeper in the body than kDepths.
struct Penetration {
  std::array<double, 4> vertices{}, edges{};
  double frames = 0;      // percentage of frames with a vertex inside
  double deepest_mm = 0;  // 0: no vertex is inside
};

// Energy (sum of squares) of velocities and accelerations relative to the reference's, and their RMS errors.
struct Liveliness {
  double velocity_energy = 0, acceleration_energy = 0;
  double velocity_rmse = 0, acceleration_rmse = 0;  // m/s, m/s^2
};

inline constexpr size_t kPercentiles = 20;  // of the error: 5, 10 ... 95, 99 %

struct Figures {
  size_t frames = 0;
  double rmse_mm = 0, p95_mm = 0, max_mm = 0;      // of vertex distances
  double sted = 0, sted_space = 0, sted_time = 0;  // see sted.h
  double strain_mean = 0, strain_p99 = 0;          // percent: |l / L - 1| over the edges, L in the pattern
  Penetration penetration, pushed_out;             // as predicted, and after push-out
  double pushed_out_rmse_mm = 0;
  Liveliness liveliness;
  double hausdorff_mm = 0, chamfer_mm = 0;  // symmetric distances between the surfaces: maximum and mean
  std::array<double, kPercentiles> percentiles_mm{};
};

struct Measured {
  std::array<Figures, 4> sets;       // as kSets; all 0 for a set without frames
  std::vector<float> frame_rmse_mm;  // of each frame of the data set; 0 if it was not measured
};

struct MeasureOptions {
  bool everything = true;      // false: vertex distances only
  float margin = 0.002f;       // m, clearance of push-out
  size_t surface_frames = 10;  // frames per set for Hausdorff and Chamfer distances (slow); 0: none
  bool sted = true;
  size_t train_every = 1;  // measures every n-th training frame; other sets are measured completely
  size_t threads = 0;      // 0: all cores
};

// Quick settings: every eighth training frame, no STED, no surface distances.
inline MeasureOptions quick_measures() { return {.surface_frames = 0, .sted = false, .train_every = 8}; }

// One result per predictor. Throws std::invalid_argument if a prediction is not finite.
std::vector<Measured> measure(const Frames& frames, std::span<const Predictor> predictors,
                              const MeasureOptions& options);

// Moves points that are closer than `margin` out of the body along the gradient of its distance. Iterates,
// because a move may lead into another part of the body.
void push_out(const body::Surface& surface, float margin, std::span<V3> points);

}  // namespace billow::research
