// The command line of billow-train.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "train/gru.h"
#include "train/learnt_force.h"
#include "train/options.h"

namespace CLI {
class App;
}

namespace billow::tool {

// Parsed command line. `changes` are applied after --paper has selected the initial options, whatever their
// order on the command line.
struct Given {
  std::string data, out, json;
  std::string chains;    // garment file whose settings and force the chains have
  std::string settings;  // file of settings that differ from the garment's own
  std::string storage = "mixed", evaluate = "full";
  bool paper = false, resume = false, dry_run = false, quiet = false, gru = true;
  train::GruOptions gru_options;
  // Of the chains. Without values: a force but with --paper, a correction where there is no force.
  std::optional<bool> force, correction;
  train::ForceOptions force_options;
  std::vector<std::function<void(train::Options&)>> changes;

  train::Options options() const;
  bool learns_force() const { return chains.empty() && force.value_or(!paper); }
  bool learns_correction() const { return correction.value_or(chains.empty() && !learns_force()); }
};

void add_options(CLI::App& app, Given& given);

}  // namespace billow::tool
