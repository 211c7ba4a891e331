// billow_simulate: data sets on machines without the packages that the whole command line needs. The same files come
// out as of `billow simulate`.
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
    "billow_simulate GARMENT FOLDER [FRAMES [UNSEEN [SEED [THREADS [SHARD SHARDS]]]]]\n\n"
    "Makes a data set of reference cloth: GARMENT is cape or skirt; default 5000 frames to learn from, 900 "
    "of clips\n"
    "that are never seen, seed 1, all cores. SHARD is 1 to SHARDS.\n\n"
    "Example\n"
    "  billow_simulate cape data/cape 5000 900 1 16\n";

}  // namespace

int main(int argc, char** argv) {
  using namespace billow;
  if (argc < 3 || std::string(argv[1]) == "--help") {
    std::fputs(kHelp, argc > 1 ? stdout : stderr);
    return argc > 1 ? 0 : 2;
  }
  const auto number = [&](int place, long otherwise) {
    return argc > place ? std::strtol(argv[place], nullptr, 10) : otherwise;
  };
  dataset::Job job;
  job.request.garment = argv[1];
  job.folder = argv[2];
  job.request.frames = static_cast<size_t>(number(3, 5000));
  job.request.unseen = static_cast<size_t>(number(4, 900));
  job.request.seed = static_cast<uint32_t>(number(5, 1));
  job.threads =
      static_cast<int>(std::max(1l, number(6, static_cast<long>(std::thread::hardware_concurrency()))));
  job.shard = static_cast<int>(number(7, 1)) - 1;
  job.shards = static_cast<int>(number(8, 1));
  const auto began = std::chrono::steady_clock::now();
  const auto seconds = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  };
  double told = 0;
  job.report = [&](const dataset::Progress& p) {
    if (!p.note.empty()) std::printf("%s\n", p.note.c_str());
    if (p.frames == 0 || seconds() - told < 5) return;
    told = seconds();
    const double share = static_cast<double>(p.frames_done) / static_cast<double>(p.frames);
    std::printf("%zu of %zu frames, about %.0f s left\n", p.frames_done, p.frames,
                told * (1 - share) / share);
    std::fflush(stdout);
  };
  try {
    dataset::simulate(job);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "billow_simulate: %s\n", e.what());
    return 1;
  }
  std::printf("%s: done in %.0f s\n", job.folder.string().c_str(), seconds());
  return 0;
}
