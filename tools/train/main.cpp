// billow-train: trains a garment file from a data set. `billow train` starts it.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <stdexcept>

#include "arguments.h"
#include "billow/progress.h"
#include "files/whole_file.h"
#include "garment_of.h"
#include "train/train.h"
#if defined(BILLOW_RESEARCH)
#include "research/parts_of_training.h"
#endif

namespace billow::tool {
namespace {

ResearchParts research_parts() {
#if defined(BILLOW_RESEARCH)
  return research::parts_of_training();
#else
  return {};
#endif
}

// Prints progress: the last epoch of each stage, and other epochs at most every 5 s.
class Log {
 public:
  explicit Log(bool quiet) : quiet_(quiet) {}
  void print(const std::string& line) const {
    if (!quiet_) std::printf("%5.0f s  %s\n", clock_.seconds(), line.c_str()), std::fflush(stdout);
  }
  void report(const train::Progress& p) {
    if (quiet_ || (clock_.seconds() - last_report_ < 5 && p.epoch.number < p.epochs)) return;
    last_report_ = clock_.seconds();
    const train::Epoch& e = p.epoch;
    char text[240];
    std::snprintf(text, sizeof text,
                  "%-8s %4d of %d  loss %-9.4g  validation %-9.4g  %6.2f mm, %6.2f validation  near %.3f %%  "
                  "best %d  %.0f s left",
                  p.stage.c_str(), e.number, p.epochs, e.loss, e.validation_loss, e.rmse_mm,
                  e.validation_rmse_mm, e.validation_near_percent, p.best, p.seconds_left);
    print(text);
  }
  double seconds() const { return clock_.seconds(); }

 private:
  Progress clock_{"training"};
  double last_report_ = -10;
  bool quiet_;
};

std::string checkpoint_prefix(const Given& given) { return given.out + ".checkpoint-"; }
// Avoid <filesystem>: some builds of libtorch export an incompatible copy, and its remove functions then
// crash.
void remove_checkpoints(const Given& given) {
  for (const char* stage : {"patches", "skinning", "shape"})
    std::remove((checkpoint_prefix(given) + stage).c_str());
}

train::Result train_networks(const Given& given, const train::Options& options, const learn::Frames& frames,
                             const ResearchParts& research, Log& log) {
  train::TrainRun run_options;
  run_options.checkpoints = checkpoint_prefix(given);
  if (!given.resume) remove_checkpoints(given);
  run_options.log = [&](const std::string& line) { log.print(line); };
  run_options.report = [&](const train::Progress& p) { log.report(p); };
  if (options.form == train::Form::kWhole) return research.train_whole_cloth(frames, options, run_options);
  return train::train(frames, options, run_options);
}

// learn::Frames skips clips whose cloth is torn, caught or tangled, so a data set can end up without frames.
void check_frames(const std::string& data, const learn::Frames& frames) {
  const size_t train = frames.of(dataset::Part::kTrain).size(),
               validation = frames.of(dataset::Part::kValidation).size();
  if (train > 0 && validation > 0) return;
  const auto& clips = frames.info().clips;
  const auto left_out = std::count_if(clips.begin(), clips.end(), [](const auto& c) { return !c.usable; });
  throw std::runtime_error(data + ": expected frames for training and for validation, found " +
                           std::to_string(train) + " and " + std::to_string(validation) + "; " +
                           std::to_string(left_out) + " of " + std::to_string(clips.size()) +
                           " clips are left out (`billow dataset info` says why)");
}

void run(const Given& given, const ResearchParts& research) {
  const train::Options options = given.options(research);
  validate(options);
  const pack::PackOptions storage{pack::precision_named(given.storage)};
  const Figures figures = given.evaluate == "none"    ? Figures::kNone
                          : given.evaluate == "quick" ? Figures::kQuick
                                                      : Figures::kFull;
  if (given.dry_run) return;
  Log log(given.quiet);
  learn::Frames frames(given.data);
  check_frames(given.data, frames);
  train::Run run_options;
  run_options.seed = options.seed, run_options.device = options.device;
  run_options.report = [&](const train::Progress& p) { log.report(p); };
  const auto print = [&](const std::string& line) { log.print(line); };
  Learnt learnt{simulate_and_correct_ropes(frames, given, run_options, print),
                train_networks(given, options, frames, research, log),
                {}};
  if (research.train_baseline)
    if (std::string bytes = research.train_baseline(frames, run_options, print); !bytes.empty())
      learnt.extra[research.baseline_section] = std::move(bytes);
  const pack::GarmentData packed = garment_of(frames, learnt, figures, research.compare, print);
  if (!given.json.empty()) files::write_whole_file(given.json, packed.training);
  const pack::PackReport report = write_garment_asset(packed, given.out, storage);
  remove_checkpoints(given);
  char text[160];
  std::snprintf(text, sizeof text, ": %.1f MB, numbers %s, off by %.2f mm",
                static_cast<double>(report.bytes) / 1e6, report.chosen.name.c_str(), report.chosen.total());
  log.print(given.out + text);
}

}  // namespace
}  // namespace billow::tool

int main(int argc, char** argv) {
  CLI::App app("Trains the networks of a garment on a data set, evaluates them, and writes a garment file.",
               "billow train");
  const billow::tool::ResearchParts research = billow::tool::research_parts();
  billow::tool::Given given;
  billow::tool::add_options(app, given, research);
  try {
    app.parse(argc, argv);
    billow::tool::run(given, research);
  } catch (const CLI::ParseError& e) {
    // Exit code 2 for an invalid command line, as `billow` does.
    return app.exit(e) == 0 ? 0 : 2;
  } catch (const std::exception& e) {
    std::fprintf(stderr, "billow train: %s\n", e.what());
    return 1;
  }
  return 0;
}
