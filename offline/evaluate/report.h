// The evaluation of a garment (docs/evaluation.md): the product's figures, and after them a comparison with baselines where
// the program has one.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>

#include "evaluate/judge.h"
#include "learn/patch_model.h"

namespace billow::evaluate {

// A comparison of the networks with others, written out by whoever measured it.
struct Comparison {
  std::string json;         // an object: its members become the report's
  std::string text;         // tables for a terminal
  std::string html, style;  // sections of the page, and their style sheet
};

// What a comparison is given.
struct ComparisonTask {
  const Frames& frames;  // their rope bones are those of the garment's own chains
  const learn::ClothModel& model;
  const std::map<std::string, std::string>&
      extra;           // sections of the garment file that the runtime does not read
  bool quick = false;  // leaves out what takes long
  size_t threads = 0;  // 0: all cores
  std::function<void(const std::string& stage)> progress =
      {};  // called with the name of each stage; may be empty
};
using Compare = std::function<Comparison(const ComparisonTask&)>;

struct Report {
  std::string garment, form;  // form: "patches" or "whole cloth"
  size_t vertices = 0, bones = 0;
  size_t patches = 0;  // 0: whole cloth
  // Of the two bases of the whole cloth, and of the largest basis of a patch.
  Eigen::Index skinning_components = 0, shape_components = 0, patch_components = 0;
  std::optional<Judgement> product;  // what the garment file shows through the runtime
  std::optional<Comparison> comparison;
  bool training_frames = false;  // whether the data set has any
  double seconds = 0;            // duration of the evaluation
};

// Judges a garment file where `product` names one, and compares the model where the program can.
// Throws std::invalid_argument for a model that does not match the frames.
Report evaluate(const ComparisonTask& task, const std::optional<JudgeOptions>& product,
                const Compare& compare);

// The report as JSON, as an HTML page, and as tables for a terminal.
std::string to_json(const Report& report);
std::string to_html(const Report& report);
std::string to_text(const Report& report);
// The product's tables alone.
std::string to_text(const Judgement& product);

// What a garment file carries: the record of a training, JSON, with six digits of each number; and the same with the figures of a report
// in place of those that it may have. A record that is no JSON object is left out. Of a report without a comparison on training
// frames only the product is taken: a record's other figures are of the frames that the file has learnt from.
std::string shortened(const std::string& record);
std::string with_figures(const std::string& record, const Report& report);
// The product's tables as such a record has them; none where it has not. Any text will do.
std::optional<Judgement> product_in(const std::string& record);

}  // namespace billow::evaluate
