// A garment's networks beside what they are compared with (docs/evaluation.md): bones of several sources, the least
// error of their bases (floors), and baselines. The tables of `billow evaluate` after the product's.
#pragma once

#include <array>
#include <functional>
#include <string>
#include <vector>

#include "evaluate/report.h"
#include "evaluate/rope_gap.h"
#include "research/comparison/measure.h"

namespace billow::research {

struct Named {
  std::string name;
  Measured measured;
};

// The gap between bones of a source and embedded bones: on unseen clips, measured as the chaos floor is, and
// on each set.
struct BoneGap {
  std::string source;
  evaluate::RopeGap unseen;
  std::array<evaluate::RopeGap, 4> sets;  // as kSets
};

// The standard deviations of a basis, in descending order.
struct Spectrum {
  std::string name;
  learn::Vector deviation;
};

struct Results {
  size_t vertices = 0;
  Eigen::Index floor_components = 0;
  Measured truth;                             // the reference itself: its strain and penetration
  std::vector<Named> sources, skinning_only;  // by source of bones: embedded, rope, ...
  std::vector<Named> floors;     // "floor", then "skinning_floor" or "patch_floor", depending on the form
  std::vector<Named> baselines;  // on embedded bones: lbs, dqs, nearest, ridge, ...
  std::vector<Named> rope_baselines;  // the same on rope bones
  bool ridge_mirrored = false;  // whether the ridge regression uses mirrored frames, because that was better
  std::vector<BoneGap> gaps;    // of all sources except embedded
  std::vector<Spectrum> spectra;
  std::vector<std::array<uint32_t, 2>> unseen_clips;  // frame ranges: first, one past the last
  bool with_sted = true, with_surfaces = true;        // whether these were measured
};

struct ComparisonOptions {
  std::vector<BoneSource> more_sources;  // in addition to embedded and rope: gru
  size_t floor_components = 200;         // of the PCA floor of patches: the paper's 100 + 100
  MeasureOptions measure;
  std::function<void(const std::string& stage)> progress;  // called with the name of each stage
};

// Throws std::invalid_argument for bones that do not match the frames.
Results compare(const Frames& frames, const learn::ClothModel& model, const ComparisonOptions& options);

// The results as a JSON object, as sections of an HTML page with plots and their style sheet, and as tables for a terminal.
std::string to_json(const Results& results);
std::string to_html(const Results& results);
extern const char* const kPlotStyle;
std::string to_text(const Results& results);

// The comparison of a garment file, whose recurrent units (research/gru), if it has them, are another source of bones.
evaluate::Comparison compare(const evaluate::ComparisonTask& task);

}  // namespace billow::research
