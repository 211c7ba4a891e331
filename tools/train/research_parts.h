// What research/ adds to billow-train where it is built in (BILLOW_BUILD_RESEARCH). main.cpp takes it up; nothing else of the
// program knows where it comes from.
#pragma once

#include <functional>
#include <string>

#include "evaluate/report.h"
#include "train/train.h"

namespace CLI {
class App;
}

namespace billow::tool {

struct ResearchParts {
  // --form whole, and the options that --paper starts from.
  std::function<train::Result(const learn::Frames&, const train::Options&, const train::TrainRun&)>
      train_whole_cloth;
  train::Options paper_options;

  // A baseline that is trained along and stored as an extra section of the file. It has options of its own.
  std::string baseline_section;
  std::function<void(CLI::App&)> add_baseline_options;
  // Returns the section's bytes; none where the options switch it off.
  using Log = std::function<void(const std::string&)>;
  std::function<std::string(const learn::Frames&, const train::Run&, const Log&)> train_baseline;

  evaluate::Compare compare;  // of --evaluate
};

}  // namespace billow::tool
