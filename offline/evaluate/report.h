// Everything that is measured of what was learnt, and of what it has to beat: docs/evaluation.md.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "evaluate/measure.h"
#include "evaluate/rope_gap.h"

namespace billow::evaluate {

struct Named {
  std::string name;
  Measured measured;
};

struct Report {
  std::string garment;
  size_t vertices = 0, bones = 0;
  Eigen::Index skinning_components = 0, shape_components = 0;
  Measured truth;                             // the reference itself: its strain, its depth in the body
  std::vector<Named> sources, skinning_only;  // by where bones come from: embedded, rope, ...
  Measured floor, skinning_floor;             // projections on both bases together, and on the first alone
  std::vector<Named> baselines;               // on embedded bones: lbs, dqs, ridge, ridge_skinning, nearest
  std::vector<Named> rope_baselines;          // the same bones as the source named rope has
  RopeGap rope_gap;
  learn::Vector skinning_deviation, shape_deviation;
  std::vector<std::array<uint32_t, 2>> unseen_clips;  // their frames: first, and one past the last
  std::vector<std::string> unseen_names;
  double seconds = 0;  // that it took
};

struct Options {
  std::vector<BoneSource> more_sources;  // beside embedded and rope: gru
  bool baselines = true;
  MeasureOptions measure;
  std::function<void(const std::string& what)> progress;  // is told what comes next
};

// Throws std::invalid_argument for a model or bones that do not go with the frames.
Report evaluate(const Frames& frames, const learn::Model& model, const Options& options);

// The report as JSON, as a page with plots, and as a table for a terminal.
std::string to_json(const Report& report);
std::string to_html(const Report& report);
std::string to_text(const Report& report);

}  // namespace billow::evaluate
