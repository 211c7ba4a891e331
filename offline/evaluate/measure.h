// Figures of predicted cloth against the reference, on each part of a data set. docs/evaluation.md says what they mean.
//
// Displacements are compared without the motion of the key joint. What needs frames in a row (speeds, STED's half in time)
// takes those before a frame from its clip, whichever part they are of.
#pragma once

#include <array>
#include <vector>

#include "body/surface.h"
#include "evaluate/predictor.h"

namespace billow::evaluate {

inline constexpr std::array<dataset::Part, 4> kSets{dataset::Part::kTrain, dataset::Part::kValidation,
                                                    dataset::Part::kHoldout, dataset::Part::kUnseen};
inline constexpr std::array<const char*, 4> kSetNames{"train", "validation", "holdout", "unseen"};

inline constexpr std::array<float, 4> kDepths{0, 0.001f, 0.002f, 0.005f};  // m

// Percents of all vertices (or middles of edges) that are deeper in the body than kDepths.
struct Penetration {
  std::array<double, 4> vertices{}, edges{};
  double frames = 0;      // percent that have a vertex inside
  double deepest_mm = 0;  // 0: none is inside
};

// Sums of squares of speeds and of accelerations over all vertices, as a multiple of the reference's; and what they are
// off from those, RMS.
struct Liveliness {
  double velocity_energy = 0, acceleration_energy = 0;
  double velocity_rmse = 0, acceleration_rmse = 0;  // m/s, m/s^2
};

inline constexpr size_t kPercentiles = 20;  // of the error: 5, 10 ... 95, 99 %

struct Figures {
  size_t frames = 0;
  double rmse_mm = 0, p95_mm = 0, max_mm = 0;      // of the distance of vertices
  double sted = 0, sted_space = 0, sted_time = 0;  // see sted.h
  double strain_mean = 0, strain_p99 = 0;          // percent, of |l / L - 1| over the edges, L as cut
  Penetration penetration, pushed_out;             // as predicted; after vertices inside were moved out
  double pushed_out_rmse_mm = 0;
  Liveliness liveliness;
  double hausdorff_mm = 0, chamfer_mm = 0;  // between the surfaces: the most, and the mean of both ways
  std::array<double, kPercentiles> percentiles_mm{};
};

struct Measured {
  std::array<Figures, 4> sets;       // as kSets; without frames all is 0
  std::vector<float> frame_rmse_mm;  // of each frame of the data set; 0 where it was not measured
};

struct MeasureOptions {
  bool everything = true;      // else only what can be said of the distance of vertices
  float margin = 0.002f;       // m, out of the body to which vertices are pushed
  size_t surface_frames = 10;  // of each set, spread over it, whose surfaces are compared (slow); 0: none
  bool sted = true;
  size_t train_every = 1;  // measure every so manieth training frame only; those of other sets all
  size_t threads = 0;      // 0: all cores
};

// For a first look: every eighth training frame, no STED, no surfaces.
inline MeasureOptions quick_measures() { return {.surface_frames = 0, .sted = false, .train_every = 8}; }

// One result a predictor. Throws std::invalid_argument where one does not give finite numbers.
std::vector<Measured> measure(const Frames& frames, std::span<const Predictor> predictors,
                              const MeasureOptions& options);

// Moves points out of the body, along the gradient of its distance, to a margin; again and again, because that may lead
// into another part of it. What is inside of nothing stays.
void push_out(const body::Surface& surface, float margin, std::span<V3> points);

}  // namespace billow::evaluate
