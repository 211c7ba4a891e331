// billow_simulate: simulates data sets on machines without the dependencies of the full command line. Writes the same files
// as `billow simulate`.
#include "dataset/simulate.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <thread>

namespace {

constexpr const char* kHelp =
    "billow_simulate GARMENT FOLDER [FRAMES [UNSEEN [SEED [THREADS [SHARD SHARDS]]]]] [--device DEVICE]\n\n"
    "Makes a data set of reference cloth: GARMENT is cape or skirt; default 5000 frames to learn from, 900 "
    "of clips\n"
    "that are never seen, seed 1, all cores. SHARD is 1 to SHARDS. DEVICE simulates the cloth: cpu, cuda, or "
    "auto\n"
    "(default): a CUDA device if there is one.\n\n"
    "Example\n"
    "  billow_simulate cape data/cape 5000 900 1 16\n";

// Takes `--device NAME` out of the arguments and returns the name.
std::string take_device(int& argc, char** argv) {
  for (int i = 1; i + 1 < argc; ++i) {
    if (std::string(argv[i]) != "--device") continue;
    const std::string name = argv[i + 1];
    std::copy(argv + i + 2, argv + argc, argv + i);
    argc -= 2;
    return name;
  }
  return "auto";
}

}  // namespace

int main(int argc, char** argv) {
  using namespace billow;
  const std::string device = take_device(argc, argv);
  if (argc < 3 || std::string(argv[1]) == "--help") {
    std::fputs(kHelp, argc > 1 ? stdout : stderr);
    return argc > 1 ? 0 : 2;
  }
  const auto argument = [&](int index, long default_value) {
    return argc > index ? std::strtol(argv[index], nullptr, 10) : default_value;
  };
  dataset::Job job;
  job.request.garment = argv[1];
  job.folder = argv[2];
  job.request.frames = static_cast<size_t>(argument(3, 5000));
  job.request.unseen = static_cast<size_t>(argument(4, 900));
  job.request.seed = static_cast<uint32_t>(argument(5, 1));
  job.threads =
      static_cast<int>(std::max(1l, argument(6, static_cast<long>(std::thread::hardware_concurrency()))));
  job.shard = static_cast<int>(argument(7, 1)) - 1;
  job.shards = static_cast<int>(argument(8, 1));
  const auto start = std::chrono::steady_clock::now();
  const auto seconds = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  double last_report = 0;
  job.report = [&](const dataset::Progress& p) {
    if (!p.note.empty()) std::printf("%s\n", p.note.c_str());
    if (p.frames == 0 || seconds() - last_report < 5) return;
    last_report = seconds();
    const double share = static_cast<double>(p.frames_done) / static_cast<double>(p.frames);
    std::printf("%zu of %zu frames, about %.0f s left\n", p.frames_done, p.frames,
                last_report * (1 - share) / share);
    std::fflush(stdout);
  };
  try {
    job.device = dataset::device_named(device);
    dataset::simulate(job);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "billow_simulate: %s\n", e.what());
    return 1;
  }
  std::printf("%s: done in %.0f s\n", job.folder.string().c_str(), seconds());
  return 0;
}
