// The command line of billow-train.
#pragma once

#include <functional>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "research_parts.h"
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
  bool paper = false, resume = false, dry_run = false, quiet = false;
  // Of the chains. Without values: a force but with --paper, a correction where there is no force.
  std::optional<bool> force, correction;
  train::ForceOptions force_options;
  std::vector<std::function<void(train::Options&)>> changes;

  // Throws std::invalid_argument for what only research can train, where it is not built in.
  train::Options options(const ResearchParts& research) const;
  bool learns_force() const { return chains.empty() && force.value_or(!paper); }
  bool learns_correction() const { return correction.value_or(chains.empty() && !learns_force()); }
};

void add_options(CLI::App& app, Given& given, const ResearchParts& research);

template <class T> std::string default_text(const T& value) {
  std::ostringstream out;
  out << std::boolalpha << value;
  return out.str();
}

// Appends the default to a help text.
template <class T> std::string with_default(const std::string& help, const T& value) {
  return help + " [" + default_text(value) + "]";
}

}  // namespace billow::tool
