// Everything that is measured of what was learnt, and of what it has to beat: docs/evaluation.md.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "evaluate/measure.h"
#include "evaluate/rope_gap.h"

namespace billow::evaluate {

struct Named {
  std::string name;
  Measured measured;
};

// How far bones of a source are from embedded ones: on unseen clips as the chaos floor is measured, and on each set.
struct BoneGap {
  std::string source;
  RopeGap unseen;
  std::array<RopeGap, 4> sets;  // as kSets
};

// How much of the cloth's motion a basis holds: its deviations, falling.
struct Spectrum {
  std::string name;
  learn::Vector deviation;
};

struct Report {
  std::string garment, form;  // form: "patches" or "whole cloth"
  size_t vertices = 0, bones = 0;
  size_t patches = 0;  // 0: of the whole cloth
  // Of the whole cloth's two bases; of the largest basis of a patch; of the floor.
  Eigen::Index skinning_components = 0, shape_components = 0, patch_components = 0, floor_components = 0;
  Measured truth;                             // the reference itself: its strain, its depth in the body
  std::vector<Named> sources, skinning_only;  // by where bones come from: embedded, rope, ...
  std::vector<Named> floors;     // "floor" first; then "skinning_floor" or "patch_floor", as the form has it
  std::vector<Named> baselines;  // on embedded bones: lbs, dqs, nearest, ridge, ...
  std::vector<Named> rope_baselines;  // the same on the bones that the source named rope has
  bool ridge_mirrored = false;        // ridge regression learnt from mirrored frames, too: that was better
  std::vector<BoneGap> gaps;          // of all sources but embedded
  std::vector<Spectrum> spectra;
  std::vector<std::array<uint32_t, 2>> unseen_clips;  // their frames: first, and one past the last
  std::vector<std::string> unseen_names;
  bool with_sted = true, with_surfaces = true;  // these were measured
  double seconds = 0;                           // that it took
};

struct Options {
  // Bones of rope chains, a row a frame, as the garment's own settings move them. Without: those in the data set, which
  // were made with the settings of the day.
  std::optional<Matrix> rope;
  std::vector<BoneSource> more_sources;  // beside embedded and rope: gru
  bool baselines = true;
  size_t floor_components = 200;  // of the floor of patches: the paper's 100 + 100
  MeasureOptions measure;
  std::function<void(const std::string& what)> progress;  // is told what comes next
};

// Throws std::invalid_argument for a model or bones that do not go with the frames.
Report evaluate(const Frames& frames, const learn::ClothModel& model, const Options& options);

// The report as JSON, as a page with plots, and as a table for a terminal.
std::string to_json(const Report& report);
std::string to_html(const Report& report);
std::string to_text(const Report& report);

}  // namespace billow::evaluate
