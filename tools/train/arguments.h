// The command line of billow-train.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "train/gru.h"
#include "train/options.h"

namespace CLI {
class App;
}

namespace billow::tool {

// Parsed command line. `changes` are applied after --paper has selected the initial options, whatever their
// order on the command line.
struct Given {
  std::string data, out, json;
  std::string storage = "mixed", evaluate = "full";
  bool paper = false, resume = false, dry_run = false, quiet = false, gru = true;
  train::GruOptions gru_options;
  std::vector<std::function<void(train::Options&)>> changes;

  train::Options options() const;
};

void add_options(CLI::App& app, Given& given);

}  // namespace billow::tool
