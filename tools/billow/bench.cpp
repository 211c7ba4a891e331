// `billow bench`: time of a frame by stage and strain of its mesh, compared with hardware limits and with other libraries. All
// figures come from one run, so that their ratios are comparable.
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "bench_frames.h"
#include "bench_growth.h"
#include "body/postures.h"
#include "commands.h"
#include "garment/tailor.h"
#include "motion/motions.h"
#include "number_from.h"
#include "research_parts.h"
#include "shipped.h"

namespace billow::tool {
namespace {

using nlohmann::ordered_json;

struct BenchOptions {
  std::string cape, skirt;
  double seconds = 5;
  uint32_t characters = 64;
  bool json = false, no_peers = false, growth = false;
};

ordered_json to_json(const FrameFigures& f) {
  ordered_json stages;
  for (int k = 0; k < BILLOW_FRAME_STAGE_COUNT; ++k)
    stages[billow_frame_stage_name(static_cast<billow_frame_stage>(k))] = f.stages[k];
  return {{"frame_ms", {{"p50", f.p50}, {"p99", f.p99}}},
          {"stages_ms", stages},
          {"pushed_per_frame", f.pushed},
          {"strain_mean", f.strain_mean},
          {"strain_p99", f.strain_p99}};
}

// What strain costs: the frame at each setting of *lengths*. `high` was measured before.
ordered_json bench_lengths(const BenchGarment& garment, const body::Person& person, const motion::Clip& clip,
                           const ordered_json& high) {
  ordered_json out;
  for (const auto& [name, lengths] : {std::pair{"off", BILLOW_LENGTHS_OFF}, {"low", BILLOW_LENGTHS_LOW}})
    out[name] = to_json(time_frames(garment, person, clip, lengths));
  out["high"] = high;
  for (ordered_json& level : out) level.erase("stages_ms"), level.erase("pushed_per_frame");
  return out;
}

motion::Clip running_clip(const body::Person& person, double seconds) {
  return motion::make_motion(person, {"run", 3, seconds, 60, 5});
}

ordered_json bench_garment(const BenchGarment& garment, const std::string& file, const body::Person& person,
                           double seconds) {
  const motion::Clip running = running_clip(person, seconds),
                     dancing = motion::make_motion(person, {"dance", 3, seconds, 60, 0});
  // Measure bandwidth before and after the frames: other load then affects both sides of the ratio.
  double stream = time_stream(garment.vertices());
  ordered_json out = to_json(time_frames(garment, person, running));
  stream = std::min(stream, time_stream(garment.vertices()));
  const double p50 = out["frame_ms"]["p50"];
  const ordered_json lengths = bench_lengths(garment, person, running, out);
  const MemoryFigures memory = count_memory(garment);
  out.update({{"stream_fp32_ms", stream},
              {"ratio_to_stream", p50 / stream},
              {"lengths", lengths},
              {"dancing", to_json(time_frames(garment, person, dancing))},
              {"file", file.empty() ? ordered_json(nullptr) : ordered_json(file)},
              {"made_up", file.empty()},
              {"vertices", garment.vertices()},
              {"bones", garment.bones()},
              {"file_bytes", garment.bytes().size()},
              {"garment_bytes", memory.garment},
              {"instance_bytes", memory.instance}});
  return out;
}

constexpr uint32_t kLevelCrowd = 200;

ordered_json levels_json(const LevelFigures& f) {
  return {{"characters", f.characters},
          {"near", f.near},
          {"near_ms", f.near_ms},
          {"far_ms", f.far_ms},
          {"full_frames", (f.near_ms + f.far_ms) / f.full_ms}};
}

ordered_json bench_crowd(const BenchGarment& garment, const body::Person& person, const BenchOptions& o) {
  const double peak = fma_peak();
  const auto levels = [&](bool all_in_view) {
    return levels_json(
        time_levels(garment, person, running_clip(person, o.seconds), kLevelCrowd, all_in_view));
  };
  const CrowdFigures f = time_crowd(garment, person, running_clip(person, o.seconds), o.characters, 1);
  const double fma_rate = garment.expansion() / (1e-3 * f.expand_ms);
  return {{"characters", f.characters},
          {"ms_per_character", f.ms_per_character},
          {"expand_ms_per_character", f.expand_ms},
          {"asleep_ms_per_character", time_sleepers(garment, person, o.characters)},
          {"levels", levels(false)},
          {"levels_all_in_view", levels(true)},
          {"fma_peak_share", peak > 0 ? ordered_json(fma_rate / peak) : ordered_json(nullptr)},
          {"fma_peak_gflops", peak > 0 ? ordered_json(2e-9 * peak) : ordered_json(nullptr)},
          {"counted",
           "multiply-adds of all coordinates in patches with components, share and mean, against fp32 FMA"}};
}

ordered_json bench_layers(const BenchGarment& cape, const BenchGarment& skirt, const body::Person& person,
                          const BenchOptions& o) {
  const LayerFigures f = time_layers(cape, skirt, person, running_clip(person, o.seconds));
  return {{"skirt_ms", f.inner_ms},    {"cape_ms", f.outer_ms},          {"layer_ms", f.layer_ms},
          {"cape_over_ms", f.over_ms}, {"times_alone", f.times_alone()}, {"layer_bytes", f.bytes}};
}

// `cape`: figures of the cape, which peers are compared with.
ordered_json bench_peers(const std::vector<BenchPeer>& peers, const body::Person& person,
                         const ordered_json& cape, const BenchOptions& o) {
  const double frame = cape["frame_ms"]["p50"];
  const double networks =
      cape["stages_ms"]["infer"].get<double>() + cape["stages_ms"]["expand"].get<double>();
  ordered_json out = ordered_json::object();
  const auto add = [&](const char* name, const PeerFigures& f) {
    const auto ratio_to = [&](double ms) {
      return f.frame_ms ? ordered_json(*f.frame_ms / ms) : ordered_json(nullptr);
    };
    out[name] = {{"frame_ms", f.frame_ms ? ordered_json(*f.frame_ms) : ordered_json(nullptr)},
                 {"times_slower", ratio_to(f.networks_only ? networks : frame)},
                 {"strain_mean", f.strain_mean ? ordered_json(*f.strain_mean) : ordered_json(nullptr)},
                 {"strain_p99", f.strain_p99 ? ordered_json(*f.strain_p99) : ordered_json(nullptr)},
                 {"note", f.why}};
    if (f.networks_only) out[name]["times_whole_frame"] = ratio_to(frame);
  };
  if (o.no_peers) {
    for (const BenchPeer& peer : peers) add(peer.name, not_measured("left out: --no-peers"));
    return out;
  }
  if (peers.empty()) return out;
  const body::Skin skin = body::make_skin(person.skeleton, person.colliders, {.vertices = 4000});
  const garment::Garment cloth = garment::make_garment("cape", person, skin, 12690);
  const motion::Clip clip = running_clip(person, 2);
  const PeerTask task{cloth, person, clip,
                      cape["made_up"].get<bool>() ? "" : cape["file"].get<std::string>()};
  for (const BenchPeer& peer : peers) add(peer.name, peer.time(task));
  return out;
}

// Mean and 99th percentile.
std::string strain_text(const ordered_json& figures) {
  char text[64];
  std::snprintf(text, sizeof text, "%.1f / %.0f %%", figures["strain_mean"].get<double>(),
                figures["strain_p99"].get<double>());
  return text;
}

void print_frames(const char* name, const ordered_json& g) {
  std::printf("%s%s: %zu vertices, %zu bones, file %.2f MB, in memory %.2f, an instance %.2f\n", name,
              g["made_up"].get<bool>() ? " (random weights: no file was given or found)" : "",
              g["vertices"].get<size_t>(), g["bones"].get<size_t>(), 1e-6 * g["file_bytes"].get<double>(),
              1e-6 * g["garment_bytes"].get<double>(), 1e-6 * g["instance_bytes"].get<double>());
  const auto line = [](const char* motion, const ordered_json& f) {
    std::printf("  %-8s p50 %.3f ms, p99 %.3f:", motion, f["frame_ms"]["p50"].get<double>(),
                f["frame_ms"]["p99"].get<double>());
    for (const auto& [stage, ms] : f["stages_ms"].items())
      std::printf(" %s %.3f", stage.c_str(), ms.get<double>());
    std::printf("; %.0f vertices pushed out; strain %s\n", f["pushed_per_frame"].get<double>(),
                strain_text(f).c_str());
  };
  line("running", g);
  line("dancing", g["dancing"]);
  std::printf("  running by --lengths:");
  for (const auto& [level, f] : g["lengths"].items())
    std::printf("%s %s p50 %.3f ms, strain %s", level == "off" ? "" : ";", level.c_str(),
                f["frame_ms"]["p50"].get<double>(), strain_text(f).c_str());
  std::printf("\n");
  std::printf("  one read of two fp32 bases of 100 components: %.3f ms; the running frame is %.2f of it\n",
              g["stream_fp32_ms"].get<double>(), g["ratio_to_stream"].get<double>());
}

void print_crowd_and_peers(const ordered_json& all) {
  const ordered_json& crowd = all["crowd"];
  std::printf("crowd of %u: %.3f ms a character, expansion %.3f, asleep %.4f",
              crowd["characters"].get<uint32_t>(), crowd["ms_per_character"].get<double>(),
              crowd["expand_ms_per_character"].get<double>(), crowd["asleep_ms_per_character"].get<double>());
  if (!crowd["fma_peak_share"].is_null())
    std::printf(" (%.0f %% of the core's %.0f GFLOP/s, %s)", 100 * crowd["fma_peak_share"].get<double>(),
                crowd["fma_peak_gflops"].get<double>(), crowd["counted"].get<std::string>().c_str());
  const ordered_json& levels = crowd["levels"];
  std::printf(
      "\ncrowd of %u round a camera, %u of them near, the others by levels of detail: %.1f full frames; all "
      "in "
      "view: %.1f\n",
      levels["characters"].get<uint32_t>(), levels["near"].get<uint32_t>(),
      levels["full_frames"].get<double>(), crowd["levels_all_in_view"]["full_frames"].get<double>());
  const ordered_json& layers = all["layers"];
  std::printf(
      "cape over skirt: %.2f times both alone (layer %.3f ms, cape %.3f instead of %.3f); a layer takes %.2f "
      "MB\n",
      layers["times_alone"].get<double>(), layers["layer_ms"].get<double>(),
      layers["cape_over_ms"].get<double>(), layers["cape_ms"].get<double>(),
      1e-6 * layers["layer_bytes"].get<double>());
  if (all.contains("growth")) print_growth(all["growth"]);
  if (all["peers"].empty())
    std::printf("peers: none, this build is without research (BILLOW_BUILD_RESEARCH)\n");
  for (const auto& [name, peer] : all["peers"].items()) {
    if (peer["frame_ms"].is_null())
      std::printf("%s: no figure (%s)\n", name.c_str(), peer["note"].get<std::string>().c_str());
    else
      std::printf("%s: %.1f ms a frame, %.1f times slower than the cape%s%s (%s)\n", name.c_str(),
                  peer["frame_ms"].get<double>(), peer["times_slower"].get<double>(),
                  peer.contains("times_whole_frame") ? "'s infer and expand" : "",
                  peer["strain_mean"].is_null() ? "" : (", strain " + strain_text(peer)).c_str(),
                  peer["note"].get<std::string>().c_str());
  }
}

// The file given, else the shipped garment, else empty: the caller then makes a garment with random weights.
std::string bench_file(const std::string& given, const std::string& name) {
  return given.empty() ? shipped_garment(name).string() : garment_file(given);
}

BenchGarment open_garment(const std::string& file, const std::string& name, const body::Person& person) {
  if (!file.empty()) return BenchGarment(file, person);
  return BenchGarment(name == "cape" ? pack::full_size_cape() : pack::full_size_skirt(), person);
}

void bench(const BenchOptions& o, const std::vector<BenchPeer>& peers) {
  const body::Person person = body::make_person();
  ordered_json all;
  const std::string files[] = {bench_file(o.cape, "cape"), bench_file(o.skirt, "skirt")};
  const BenchGarment cape = open_garment(files[0], "cape", person),
                     skirt = open_garment(files[1], "skirt", person);
  for (const BenchGarment* garment : {&cape, &skirt}) {
    const bool is_cape = garment == &cape;
    const char* name = is_cape ? "cape" : "skirt";
    all[name] = bench_garment(*garment, files[is_cape ? 0 : 1], person, o.seconds);
    if (!o.json) print_frames(name, all[name]);
  }
  all["crowd"] = bench_crowd(cape, person, o);
  all["layers"] = bench_layers(cape, skirt, person, o);
  if (o.growth) all["growth"] = bench_growth(cape, person, running_clip(person, o.seconds));
  all["peers"] = bench_peers(peers, person, all["cape"], o);
  if (o.json)
    std::printf("%s\n", all.dump(2).c_str());
  else
    print_crowd_and_peers(all);
}

}  // namespace

void add_bench(CLI::App& app, const ResearchParts& research) {
  auto* command = app.add_subcommand("bench",
                                     "Measure what a dressed frame costs and how far it stretches, against "
                                     "hardware limits and other libraries");
  auto o = std::make_shared<BenchOptions>();
  command->add_option("--cape", o->cape,
                      "Cape to measure (.billow); default: the one that comes with Billow");
  command->add_option("--skirt", o->skirt,
                      "Skirt to measure (.billow); default: the one that comes with Billow");
  command
      ->add_option("--seconds", o->seconds,
                   "Length of each measured motion in seconds, at 60 frames per second")
      ->capture_default_str()
      ->check(number_from(0.5, 600));
  command->add_option("--characters", o->characters, "Number of characters in the crowd")
      ->capture_default_str()
      ->check(CLI::Range(1, 4096));
  command->add_flag("--growth", o->growth,
                    "Also measure how time and memory scale with vertices, bones, characters and threads");
  command->add_flag(
      "--no-peers", o->no_peers,
      "Skip the comparison with other cloth and inference libraries, which takes half a minute");
  command->add_flag("--json", o->json, "Print the figures as JSON");
  command->footer(
      "Where the garments that come with Billow are not installed, ones of the same size with random "
      "weights\n"
      "are measured. Strain is |l / L - 1| over all edges, L in the pattern: mean and 99th percentile of "
      "the\n"
      "timed frames, counted in another run of the same bits.\n\n"
      "Examples\n"
      "  billow bench\n"
      "  billow bench --growth --no-peers\n"
      "  billow bench --json --no-peers --cape cape.billow\n");
  command->callback([o, peers = research.peers] { bench(*o, peers); });
}

}  // namespace billow::tool
