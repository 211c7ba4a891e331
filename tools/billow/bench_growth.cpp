#include "bench_growth.h"

#include <cstdio>
#include <thread>

namespace billow::tool {
namespace {

using nlohmann::ordered_json;

struct Size {
  uint32_t across, down;  // vertices
  uint32_t chains;        // of 14 bones
};
// The third size equals the built-in cape; the others have 1/4, 1/2, 2 and 4 times as many vertices.
constexpr Size kByVertices[] = {{45, 71, 10}, {64, 99, 10}, {90, 141, 10}, {127, 200, 10}, {180, 282, 10}};
constexpr Size kByBones[] = {{90, 141, 5}, {90, 141, 10}, {90, 141, 20}, {90, 141, 40}};

ordered_json measure(const Size& size, const body::Person& person, const motion::Clip& clip) {
  // Network sizes are the defaults of `billow train`.
  pack::SampleOptions o = pack::full_size_cape();
  o.across = size.across, o.down = size.down;
  o.chains = size.chains, o.bones_per_chain = 14;
  o.components = 8, o.hidden = 3, o.units = 64;
  const BenchGarment garment(o, person);
  const FrameFigures f = time_frames(garment, person, clip);
  const MemoryFigures memory = count_memory(garment);
  return {{"vertices", garment.vertices()},
          {"bones", garment.bones()},
          {"frame_ms", {{"p50", f.p50}, {"p99", f.p99}}},
          {"chains_ms", f.stages[BILLOW_FRAME_STAGE_CHAINS]},
          {"infer_ms", f.stages[BILLOW_FRAME_STAGE_INFER]},
          {"expand_ms", f.stages[BILLOW_FRAME_STAGE_EXPAND]},
          {"push_out_ms", f.stages[BILLOW_FRAME_STAGE_PUSH_OUT]},
          {"normals_ms", f.stages[BILLOW_FRAME_STAGE_NORMALS]},
          {"garment_bytes", memory.garment},
          {"instance_bytes", memory.instance}};
}

}  // namespace

ordered_json bench_growth(const BenchGarment& garment, const body::Person& person, const motion::Clip& clip) {
  ordered_json out = {{"vertices", ordered_json::array()},
                      {"bones", ordered_json::array()},
                      {"characters", ordered_json::array()},
                      {"threads", ordered_json::array()}};
  for (const Size& size : kByVertices) out["vertices"].push_back(measure(size, person, clip));
  for (const Size& size : kByBones) out["bones"].push_back(measure(size, person, clip));
  const auto crowd = [&](uint32_t characters, int threads) {
    const CrowdFigures f = time_crowd(garment, person, clip, characters, threads);
    return ordered_json{
        {"characters", characters}, {"threads", threads}, {"ms_per_character", f.ms_per_character}};
  };
  for (const uint32_t characters : {1u, 4u, 16u, 64u, 256u})
    out["characters"].push_back(crowd(characters, 1));
  const int cores = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  for (int threads = 1; threads <= cores; threads *= 2) out["threads"].push_back(crowd(64, threads));
  return out;
}

void print_growth(const ordered_json& growth) {
  for (const char* by : {"vertices", "bones"}) {
    std::printf(
        "growth with %s (synthetic capes, running)\n  %8s %6s %8s %8s %8s %8s %8s %8s %8s %10s %11s\n", by,
        "vertices", "bones", "p50 ms", "p99", "chains", "infer", "expand", "push out", "normals",
        "garment MB", "instance MB");
    for (const ordered_json& g : growth[by])
      std::printf("  %8zu %6zu %8.3f %8.3f %8.3f %8.3f %8.3f %8.3f %8.3f %10.2f %11.2f\n",
                  g["vertices"].get<size_t>(), g["bones"].get<size_t>(), g["frame_ms"]["p50"].get<double>(),
                  g["frame_ms"]["p99"].get<double>(), g["chains_ms"].get<double>(),
                  g["infer_ms"].get<double>(), g["expand_ms"].get<double>(), g["push_out_ms"].get<double>(),
                  g["normals_ms"].get<double>(), 1e-6 * g["garment_bytes"].get<double>(),
                  1e-6 * g["instance_bytes"].get<double>());
  }
  for (const char* by : {"characters", "threads"}) {
    std::printf("growth with %s\n", by);
    for (const ordered_json& g : growth[by])
      std::printf("  %3u characters on %d threads: %.3f ms each\n", g["characters"].get<uint32_t>(),
                  g["threads"].get<int>(), g["ms_per_character"].get<double>());
  }
}

}  // namespace billow::tool
