// The evaluation of a trained garment against baselines and floors (docs/evaluation.md).
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "evaluate/judge.h"
#include "evaluate/measure.h"
#include "evaluate/rope_gap.h"

namespace billow::evaluate {

struct Named {
  std::string name;
  Measured measured;
};

// The gap between bones of a source and embedded bones: on unseen clips, measured as the chaos floor is, and
// on each set.
struct BoneGap {
  std::string source;
  RopeGap unseen;
  std::array<RopeGap, 4> sets;  // as kSets
};

// The standard deviations of a basis, in descending order.
struct Spectrum {
  std::string name;
  learn::Vector deviation;
};

struct Report {
  std::string garment, form;  // form: "patches" or "whole cloth"
  size_t vertices = 0, bones = 0;
  size_t patches = 0;  // 0: whole cloth
  // Of the two bases of the whole cloth, of the largest basis of a patch, and of the PCA floor.
  Eigen::Index skinning_components = 0, shape_components = 0, patch_components = 0, floor_components = 0;
  std::optional<Judgement> product;           // what the garment file shows through the runtime
  Measured truth;                             // the reference itself: its strain and penetration
  std::vector<Named> sources, skinning_only;  // by source of bones: embedded, rope, ...
  std::vector<Named> floors;     // "floor", then "skinning_floor" or "patch_floor", depending on the form
  std::vector<Named> baselines;  // on embedded bones: lbs, dqs, nearest, ridge, ...
  std::vector<Named> rope_baselines;  // the same on rope bones
  bool ridge_mirrored = false;  // whether the ridge regression uses mirrored frames, because that was better
  std::vector<BoneGap> gaps;    // of all sources except embedded
  std::vector<Spectrum> spectra;
  std::vector<std::array<uint32_t, 2>> unseen_clips;  // frame ranges: first, one past the last
  std::vector<std::string> unseen_names;
  bool with_sted = true, with_surfaces = true;  // whether these were measured
  double seconds = 0;                           // duration of the evaluation
};

struct Options {
  std::optional<JudgeOptions> product;  // judges the garment file itself, before all else
  // Bones of rope chains with the garment's own settings, one row per frame. Default: those stored in the
  // data set, which were simulated with the settings of that time.
  std::optional<Matrix> rope;
  std::vector<BoneSource> more_sources;  // in addition to embedded and rope: gru
  bool baselines = true;
  size_t floor_components = 200;  // of the PCA floor of patches: the paper's 100 + 100
  MeasureOptions measure;
  std::function<void(const std::string& stage)> progress;  // called with the name of each stage
};

// Throws std::invalid_argument for a model or bones that do not match the frames.
Report evaluate(const Frames& frames, const learn::ClothModel& model, const Options& options);

// The report as JSON, as an HTML page with plots, and as tables for a terminal.
std::string to_json(const Report& report);
std::string to_html(const Report& report);
std::string to_text(const Report& report);
// The product's tables alone.
std::string to_text(const Judgement& product);

// What a garment file carries: the record of a training, JSON, with six digits of each number; and the same with the figures of a report
// in place of those that it may have. A record that is no JSON object is left out. Of a report without training frames only the
// product is taken: a record's other figures are of the frames that the file has learnt from.
std::string shortened(const std::string& record);
std::string with_figures(const std::string& record, const Report& report);
// The product's tables as such a record has them; none where it has not. Any text will do.
std::optional<Judgement> product_in(const std::string& record);

}  // namespace billow::evaluate
