// `billow bench`: what a dressed frame costs, stage by stage, against what the machine could do at best and against peers; all figures are of
// one run, so that their ratios mean something.
#include <cstdio>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "bench_frames.h"
#include "bench_peers.h"
#include "body/postures.h"
#include "commands.h"
#include "garment/tailor.h"
#include "motion/motions.h"

namespace billow::tool {
namespace {

using nlohmann::ordered_json;

struct BenchOptions {
  std::string cape, skirt;
  double seconds = 5;
  uint32_t characters = 64;
  bool json = false, no_peers = false;
};

ordered_json to_json(const FrameFigures& f) {
  ordered_json stages;
  for (int k = 0; k < BILLOW_FRAME_STAGE_COUNT; ++k)
    stages[billow_frame_stage_name(static_cast<billow_frame_stage>(k))] = f.stages[k];
  return {
      {"frame_ms", {{"p50", f.p50}, {"p99", f.p99}}}, {"stages_ms", stages}, {"pushed_per_frame", f.pushed}};
}

ordered_json bench_garment(const BenchGarment& garment, const std::string& file, const body::Person& person,
                           double seconds) {
  const motion::Clip running = motion::make_motion(person, {"run", 3, seconds, 60, 5}),
                     dancing = motion::make_motion(person, {"dance", 3, seconds, 60, 0});
  // Before and after: whatever else the machine does, it does to both.
  double stream = time_stream(garment.vertices());
  ordered_json out = to_json(time_frames(garment, person, running));
  stream = std::min(stream, time_stream(garment.vertices()));
  const double p50 = out["frame_ms"]["p50"];
  const MemoryFigures memory = count_memory(garment);
  out.update({{"stream_fp32_ms", stream},
              {"ratio_to_stream", p50 / stream},
              {"dancing", to_json(time_frames(garment, person, dancing))},
              {"file", garment.made_up() ? ordered_json(nullptr) : ordered_json(file)},
              {"made_up", garment.made_up()},
              {"vertices", garment.vertices()},
              {"bones", garment.bones()},
              {"file_bytes", garment.file_bytes()},
              {"instance_bytes", memory.instance}});
  return out;
}

ordered_json bench_crowd(const BenchGarment& garment, const body::Person& person, const BenchOptions& o) {
  const motion::Clip clip = motion::make_motion(person, {"run", 3, o.seconds, 60, 5});
  const double peak = fma_peak();
  ordered_json out, growth = ordered_json::array();
  const auto add = [&](uint32_t characters, int threads) {
    const CrowdFigures f = time_crowd(garment, person, clip, characters, threads);
    growth.push_back(
        {{"characters", characters}, {"threads", threads}, {"ms_per_character", f.ms_per_character}});
    return f;
  };
  const CrowdFigures f = add(o.characters, 1);
  const double done = garment.expansion() / (1e-3 * f.expand_ms);
  out = {
      {"characters", f.characters},
      {"ms_per_character", f.ms_per_character},
      {"expand_ms_per_character", f.expand_ms},
      {"fma_peak_share", peak > 0 ? ordered_json(done / peak) : ordered_json(nullptr)},
      {"fma_peak_gflops", peak > 0 ? ordered_json(2e-9 * peak) : ordered_json(nullptr)},
      {"counted", "multiply-adds of all coordinates in patches with components and mean, against fp32 FMA"}};
  for (const uint32_t c : {1u, 4u, 16u}) add(c, 1);
  add(o.characters, 2);
  out["growth"] = growth;
  return out;
}

ordered_json bench_peers(const body::Person& person, double frame_ms, const BenchOptions& o) {
  ordered_json out;
  const auto add = [&](const char* name, const PeerFigures& f) {
    out[name] = {{"frame_ms", f.frame_ms ? ordered_json(*f.frame_ms) : ordered_json(nullptr)},
                 {"times_slower", f.frame_ms ? ordered_json(*f.frame_ms / frame_ms) : ordered_json(nullptr)},
                 {"note", f.why}};
  };
  if (o.no_peers) {
    for (const char* name : {"bullet", "reference"}) add(name, {std::nullopt, "left out: --no-peers"});
  } else {
    const body::Skin skin = body::make_skin(person.skeleton, person.colliders, {.vertices = 4000});
    const garment::Garment cape = garment::make_garment("cape", person, skin, 12690);
    const motion::Clip clip = motion::make_motion(person, {"run", 3, 2, 60, 5});
    add("bullet", time_bullet(cape, person, clip));
    add("reference", time_reference(cape, person, clip));
  }
  add("libtorch", {std::nullopt, "not built into this tool"});
  add("onnxruntime", {std::nullopt, "not built into this tool: there is no package of it"});
  return out;
}

void print_frames(const char* name, const ordered_json& g) {
  std::printf("%s%s: %zu vertices, %zu bones, file %.2f MB, an instance %.2f MB\n", name,
              g["made_up"].get<bool>() ? " (made up: no file was given or found)" : "",
              g["vertices"].get<size_t>(), g["bones"].get<size_t>(), 1e-6 * g["file_bytes"].get<double>(),
              1e-6 * g["instance_bytes"].get<double>());
  const auto line = [](const char* motion, const ordered_json& f) {
    std::printf("  %-8s p50 %.3f ms, p99 %.3f:", motion, f["frame_ms"]["p50"].get<double>(),
                f["frame_ms"]["p99"].get<double>());
    for (const auto& [stage, ms] : f["stages_ms"].items())
      std::printf(" %s %.3f", stage.c_str(), ms.get<double>());
    std::printf("; %.0f vertices pushed out\n", f["pushed_per_frame"].get<double>());
  };
  line("running", g);
  line("dancing", g["dancing"]);
  std::printf("  one read of two fp32 bases of 100 components: %.3f ms; the running frame is %.2f of it\n",
              g["stream_fp32_ms"].get<double>(), g["ratio_to_stream"].get<double>());
}

void print_rest(const ordered_json& all) {
  const ordered_json& crowd = all["crowd"];
  std::printf("crowd of %u: %.3f ms a character, expansion %.3f", crowd["characters"].get<uint32_t>(),
              crowd["ms_per_character"].get<double>(), crowd["expand_ms_per_character"].get<double>());
  if (!crowd["fma_peak_share"].is_null())
    std::printf(" (%.0f %% of the core's %.0f GFLOP/s, %s)", 100 * crowd["fma_peak_share"].get<double>(),
                crowd["fma_peak_gflops"].get<double>(), crowd["counted"].get<std::string>().c_str());
  std::printf("\n");
  for (const ordered_json& g : crowd["growth"])
    std::printf("  %3u characters on %d threads: %.3f ms each\n", g["characters"].get<uint32_t>(),
                g["threads"].get<int>(), g["ms_per_character"].get<double>());
  for (const auto& [name, peer] : all["peers"].items()) {
    if (peer["frame_ms"].is_null())
      std::printf("%s: no figure (%s)\n", name.c_str(), peer["note"].get<std::string>().c_str());
    else
      std::printf("%s: %.1f ms a frame, %.0f times slower than the cape (%s)\n", name.c_str(),
                  peer["frame_ms"].get<double>(), peer["times_slower"].get<double>(),
                  peer["note"].get<std::string>().c_str());
  }
}

// What was asked for, else what is shipped, else nothing: then one is made up.
std::string file_of(const std::string& given, const char* name) {
  const std::string shipped = std::string("assets/") + name + ".billow";
  return !given.empty() ? given : std::filesystem::exists(shipped) ? shipped : "";
}

void bench(const BenchOptions& o) {
  const body::Person person = body::make_person();
  ordered_json all;
  for (const char* name : {"cape", "skirt"}) {
    const std::string file = file_of(name == std::string("cape") ? o.cape : o.skirt, name);
    const BenchGarment garment(name, file, person);
    all[name] = bench_garment(garment, file, person, o.seconds);
    if (!o.json) print_frames(name, all[name]);
    if (name == std::string("cape")) all["crowd"] = bench_crowd(garment, person, o);
  }
  all["peers"] = bench_peers(person, all["cape"]["frame_ms"]["p50"], o);
  if (o.json)
    std::printf("%s\n", all.dump(2).c_str());
  else
    print_rest(all);
}

}  // namespace

void add_bench(CLI::App& app) {
  auto* command =
      app.add_subcommand("bench", "What a dressed frame costs, beside what the machine can do and peers");
  auto o = std::make_shared<BenchOptions>();
  command->add_option("--cape", o->cape, "Garment file; else assets/cape.billow, else a made-up one");
  command->add_option("--skirt", o->skirt, "The same for the skirt");
  command->add_option("--seconds", o->seconds, "Of motion at 60 Hz")
      ->capture_default_str()
      ->check(CLI::Range(0.5, 600.0));
  command->add_option("--characters", o->characters, "Of the crowd")
      ->capture_default_str()
      ->check(CLI::Range(1, 4096));
  command->add_flag("--no-peers", o->no_peers, "Leave out other cloth, which takes half a minute");
  command->add_flag("--json", o->json, "Figures as JSON");
  command->footer(
      "Examples\n"
      "  billow bench\n"
      "  billow bench --json --no-peers --cape cape.billow\n");
  command->callback([o] { bench(*o); });
}

}  // namespace billow::tool
