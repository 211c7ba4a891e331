// billow_simulate: simulates data sets on machines without the dependencies of the full command line. Writes the same files
// as `billow simulate`.
#include "dataset/simulate.h"

#include <chrono>
#include <cstdio>
#include <exception>
#include <string>

#include "arguments.h"
#include "dataset/captured.h"

namespace billow {
namespace {

double seconds_since_start() {
  static const auto start = std::chrono::steady_clock::now();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

void print_progress(const dataset::Progress& p) {
  static double last_report = 0;
  if (!p.note.empty()) std::printf("%s\n", p.note.c_str());
  if (p.frames > 0 && p.frames_done > 0 && seconds_since_start() - last_report >= 5) {
    last_report = seconds_since_start();
    const double share = static_cast<double>(p.frames_done) / static_cast<double>(p.frames);
    std::printf("%zu of %zu frames, about %.0f s left\n", p.frames_done, p.frames,
                last_report * (1 - share) / share);
  }
  std::fflush(stdout);
}

int run(SimulateArguments& arguments) {
  dataset::Job& job = arguments.job;
  if (arguments.captured) {
    const std::filesystem::path file =
        arguments.bundle.empty() ? motion::shipped_bundle() : std::filesystem::path(arguments.bundle);
    dataset::add_captured_clips(motion::read_bundle(file), arguments.only, job.request);
  }
  const std::vector<dataset::PlannedClip> clips = dataset::plan(job.request);
  if (arguments.dry_run)
    for (const dataset::PlannedClip& clip : clips)
      std::printf("%-20s %5zu frames, %c\n", clip.name.c_str(), clip.frames, clip.parts[0]);
  std::printf("%s\n", dataset::plan_in_words(clips).c_str());
  if (arguments.dry_run) return 0;
  seconds_since_start();
  job.report = print_progress;
  dataset::simulate(job);
  std::printf("%s: done in %.0f s\n", job.folder.string().c_str(), seconds_since_start());
  return 0;
}

}  // namespace
}  // namespace billow

int main(int argc, char** argv) {
  using namespace billow;
  try {
    SimulateArguments arguments = parse_simulate_arguments({argv + 1, argv + argc});
    if (!arguments.help) return run(arguments);
    std::fputs(kSimulateHelp, stdout);
    return 0;
  } catch (const std::invalid_argument& e) {
    std::fprintf(stderr, "billow_simulate: %s\nRun with --help for more information.\n", e.what());
    return 2;
  } catch (const std::exception& e) {
    std::fprintf(stderr, "billow_simulate: %s\n", e.what());
    return 1;
  }
}
