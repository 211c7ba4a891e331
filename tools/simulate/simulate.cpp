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
  if (!p.note.empty()) std::fprintf(stderr, "%s\n", p.note.c_str());
  // The first frames follow a drape of many seconds, and tell nothing about the rest.
  if (p.frames > 0 && 50 * p.frames_done > p.frames && seconds_since_start() - last_report >= 5) {
    last_report = seconds_since_start();
    const double share = static_cast<double>(p.frames_done) / static_cast<double>(p.frames);
    std::fprintf(stderr, "%zu of %zu frames, about %.0f s left\n", p.frames_done, p.frames,
                 last_report * (1 - share) / share);
  }
}

int run(SimulateArguments& arguments) {
  dataset::Job& job = arguments.job;
  if (arguments.captured) {
    const std::filesystem::path file =
        arguments.bundle.empty() ? motion::shipped_bundle() : std::filesystem::path(arguments.bundle);
    dataset::add_captured_clips(motion::read_bundle(file), arguments.only,
                                dataset::person_as_character_body(job.request.preset), job.request);
  }
  const std::vector<dataset::PlannedClip> clips = dataset::plan(job.request);
  if (arguments.dry_run)
    for (const dataset::PlannedClip& clip : clips)
      std::printf("%-20s %5zu frames, %c\n", clip.name.c_str(), clip.frames, clip.parts[0]);
  std::fprintf(arguments.dry_run ? stdout : stderr, "%s\n", dataset::plan_in_words(clips).c_str());
  if (arguments.dry_run) return 0;
  seconds_since_start();
  job.report = print_progress;
  const std::vector<dataset::ClipResult> results = dataset::simulate(job);
  if (arguments.json)
    std::printf("%s", dataset::summary_as_json(results, job.folder.string(),
                                               static_cast<double>(job.request.frames_per_second))
                          .c_str());
  else
    std::printf("%s%s: done in %.0f s\n", dataset::summary_in_words(results).c_str(),
                job.folder.string().c_str(), seconds_since_start());
  if (results.empty() || dataset::usable_frames(results) > 0) return 0;
  std::fprintf(stderr,
               "billow_simulate: %s: expected clips that pass the reference's check, found none of %zu\n",
               job.folder.string().c_str(), results.size());
  return 1;
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
