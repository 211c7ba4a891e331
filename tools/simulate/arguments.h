// The command line of billow_simulate.
#pragma once

#include <string>
#include <vector>

#include "dataset/simulate.h"

namespace billow {

struct SimulateArguments {
  dataset::Job job;  // without captured clips
  bool captured = false, dry_run = false, json = false, help = false;
  std::string bundle;             // file of captured clips; empty: the one that ships with Billow
  std::vector<std::string> only;  // captured clips to use alone
};

extern const char* const kSimulateHelp;

// Throws std::invalid_argument with the option, what was expected and what was found.
SimulateArguments parse_simulate_arguments(const std::vector<std::string>& words);

}  // namespace billow
