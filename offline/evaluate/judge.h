// Judges the product: what a garment file shows on the unseen clips of a data set, beside the reference cloth
// of the same clips and the floor, the reference in air denser by a thousandth. docs/evaluation.md defines the
// figures.
#pragma once

#include <functional>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "evaluate/product.h"

namespace billow::evaluate {

inline constexpr double kNotMeasured = std::numeric_limits<double>::quiet_NaN();

// Of one cloth over some clips, from the first second of each on. Figures relative to the reference are over
// the same clips.
struct ClothFigures {
  double clips = 0, frames = 0;
  double rmse_mm = 0, sted = 0, sted_space = 0, sted_time = 0;  // to the reference
  double strain_mean = 0, strain_p99 = 0;                       // percent: |l / L - 1|, L in the pattern
  double bend_rad = 0, bend_ratio = 0;                          // RMS angle between neighbouring triangles
  // Mean of |k|, 1/m, and distance of the distributions, at three scales: see cloth_ruler.h.
  double curvature_edge = 0, curvature_3cm = 0, curvature_10cm = 0;
  double curvature_distance_edge = 0, curvature_distance_3cm = 0, curvature_distance_10cm = 0;
  // By how much normals turn over 3 cm along the hang and across it, 25th percentile: crumpled cloth has no calm quarter.
  double calm_along_rad = 0, calm_across_rad = 0;
  // Convex hull of the hem on the ground: mean area, ratio of the means, mean of |a / a_reference - 1| (percent).
  double hem_area_m2 = 0, hem_ratio = 0, hem_difference = 0;
  double velocity_energy = 0, acceleration_energy = 0;             // relative to the reference's
  double inside_vertices = 0, inside_edges = 0, inside_faces = 0;  // percent
  double deepest_vertex_mm = 0, deepest_edge_mm = 0, deepest_face_mm = 0;
  double crossings = 0, tangled = 0;  // edges through the cloth per frame: see dataset::Crossings
  // How well a network tells the cloth from the reference, by pieces and by clips: 0.5 not at all, 1 always.
  double stranger_auc = kNotMeasured, stranger_clip_auc = kNotMeasured;
};

// One figure as it is written: key in JSON, label in tables with so many digits.
struct FigureRow {
  const char *key, *label;
  double ClothFigures::*value;
  int digits;
  bool relative;  // to the reference, so of no interest for the reference itself
};
std::span<const FigureRow> figure_rows();

struct JudgedSet {
  std::string name;  // key in JSON: set_name()
  ClothFigures product, reference, floor;
  bool has_floor = false;  // whether the data set stores the second simulation of any of these clips
};

struct Judgement {
  double rate = 0;      // frames per second of the runtime
  size_t unusable = 0;  // unseen clips left out because the reference itself is torn, caught or tangled
  std::vector<JudgedSet> sets;
};

// Names of the sets, in the order of tables.
inline constexpr const char* kSetsOfProduct[] = {"captured_test", "unseen"};
// "captured_test" for an unseen clip of captured motion, "unseen" for one of a built-in motion.
std::string set_name(const dataset::DatasetInfo& info, size_t clip);
// Clips that are judged: usable, and unseen by training.
std::vector<Frames::ClipRange> judged_clips(const Frames& frames);

struct JudgeOptions {
  std::string file;             // the garment file
  double rate = 60;             // frames per second of the runtime
  size_t threads = 0;           // 0: all cores
  size_t crossings_every = 10;  // frames between counts of crossings, which are slow
};
// Sets without clips are left out.
Judgement judge(const Frames& frames, const JudgeOptions& options);

// Judges any cloth instead of a garment file's: its vertices in world space, in each frame of a clip.
using ClothOfClip = std::function<std::vector<std::vector<V3>>(const Frames::ClipRange&)>;
Judgement judge(const Frames& frames, const ClothOfClip& cloth, const JudgeOptions& options);

}  // namespace billow::evaluate
