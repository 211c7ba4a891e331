#include "research/parts_of_training.h"

#include <CLI/CLI.hpp>
#include <memory>

#include "research/comparison/comparison.h"
#include "research/gru/train_gru.h"
#include "research/whole_cloth/train_whole_cloth.h"
#include "tools/train/arguments.h"

namespace billow::research {
namespace {

constexpr const char* kGroup = "Recurrent baseline";

struct Given {
  bool gru = true;
  GruOptions options;
};

void add_options(CLI::App& app, Given& given) {
  app.add_option("--gru", given.gru,
                 tool::with_default("Also train the GRU baseline and store it", given.gru))
      ->group(kGroup);
  GruOptions& gru = given.options;
  app.add_option("--gru-hidden", gru.hidden,
                 tool::with_default("Size of the GRU's hidden state per chain", gru.hidden))
      ->group(kGroup);
  app.add_option("--gru-epochs", gru.epochs, tool::with_default("Number of epochs of the GRU", gru.epochs))
      ->group(kGroup);
  app.add_option("--gru-rate", gru.rate, tool::with_default("Initial learning rate of the GRU", gru.rate))
      ->group(kGroup);
}

std::string train_units(const Given& given, const Frames& frames, const train::Run& run,
                        const tool::ResearchParts::Log& log) {
  if (!given.gru) return {};
  const GruTask task = gru_task(frames);
  log("gru: " + std::to_string(task.chains.size()) + " chains, " + std::to_string(task.clips.size()) +
      " clips");
  return gru_to_bytes(train_gru(task, given.options, run).gru);
}

}  // namespace

tool::ResearchParts parts_of_training() {
  const auto given = std::make_shared<Given>();
  tool::ResearchParts parts;
  parts.train_whole_cloth = train_whole_cloth;
  parts.paper_options = paper_options();
  parts.baseline_section = kGruSection;
  parts.add_baseline_options = [given](CLI::App& app) { add_options(app, *given); };
  parts.train_baseline = [given](const Frames& frames, const train::Run& run,
                                 const tool::ResearchParts::Log& log) {
    return train_units(*given, frames, run, log);
  };
  parts.compare = [](const evaluate::ComparisonTask& task) { return compare(task); };
  return parts;
}

}  // namespace billow::research
