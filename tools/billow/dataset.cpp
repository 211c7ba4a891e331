// `billow dataset`: prints, checks and merges data sets; import and export of caches are in
// dataset_exchange.h.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>

#include "commands.h"
#include "dataset/reader/dataset_file.h"
#include "dataset_exchange.h"
#include "dataset_show.h"

namespace billow::tool {
namespace {

using dataset::Part;

// Frame-weighted means over the usable clips; `deepest` is a maximum.
struct DatasetFigures {
  double strain_mean = 0, strain_p99 = 0, penetrating = 0, deepest = 0, crossings = 0;
  size_t left_out = 0;
};

DatasetFigures dataset_figures(const dataset::DatasetInfo& info) {
  DatasetFigures s;
  double frames = 0;
  for (const dataset::ClipInfo& c : info.clips) {
    if (!c.usable) {
      ++s.left_out;
      continue;
    }
    const auto n = static_cast<double>(c.frames);
    frames += n;
    s.strain_mean += n * c.strain_mean, s.strain_p99 += n * c.strain_p99;
    s.penetrating += n * c.penetrating, s.crossings += n * c.crossings;
    s.deepest = std::max(s.deepest, c.deepest);
  }
  frames = std::max(1.0, frames);
  s.strain_mean /= frames, s.strain_p99 /= frames, s.penetrating /= frames, s.crossings /= frames;
  return s;
}

// Root mean square of the chaos floor over the clips.
dataset::DatasetInfo::Chaos rms_chaos_floor(const dataset::DatasetInfo& info) {
  dataset::DatasetInfo::Chaos c;
  for (const auto& one : info.chaos) c.cloth += one.cloth * one.cloth, c.bones += one.bones * one.bones;
  const double n = std::max<double>(1, static_cast<double>(info.chaos.size()));
  c.cloth = std::sqrt(c.cloth / n), c.bones = std::sqrt(c.bones / n);
  return c;
}

void print_info(const std::string& folder, bool json) {
  const dataset::DatasetInfo info = dataset::read_dataset(folder);
  const DatasetFigures s = dataset_figures(info);
  const auto chaos = rms_chaos_floor(info);
  const auto frames = [&](Part part) { return info.frames(part); };
  // A chaos floor that was not measured is null, not 0.
  const auto floor = [&](double mm) {
    char text[32];
    std::snprintf(text, sizeof text, "%.4g", mm);
    return info.chaos.empty() ? std::string("null") : std::string(text);
  };
  if (json) {
    std::printf(
        "{\"garment\": \"%s\", \"%s\": \"%s\", \"imported\": %s, \"frames\": %zu, \"frames_per_second\": %g, "
        "\"vertices\": "
        "%zu, \"bones\": %zu, \"simulated_bones\": %zu, \"clips\": %zu, \"clips_left_out\": %zu,\n"
        " \"split\": {\"train\": %zu, \"validation\": %zu, \"holdout\": %zu, \"unseen\": %zu},\n"
        " \"strain_percent\": {\"mean\": %.4g, \"p99\": %.4g}, \"penetrating_percent\": %.4g, "
        "\"deepest_mm\": %.4g, \"crossings\": %.4g,\n"
        " \"chaos_floor_mm\": {\"cloth\": %s, \"bones\": %s, \"clips\": %zu}}\n",
        info.garment.c_str(), info.preset.empty() ? "character" : "preset",
        (info.preset.empty() ? info.character : info.preset).c_str(), info.imported ? "true" : "false",
        info.frames(), info.frames_per_second, info.vertices, info.bones, info.simulated_bones,
        info.clips.size(), s.left_out, frames(Part::kTrain), frames(Part::kValidation),
        frames(Part::kHoldout), frames(Part::kUnseen), s.strain_mean, s.strain_p99, s.penetrating, s.deepest,
        s.crossings, floor(chaos.cloth).c_str(), floor(chaos.bones).c_str(), info.chaos.size());
    return;
  }
  const std::string character_body = info.preset.empty() ? info.character : "the " + info.preset + " person";
  std::printf("%s on %s%s: %zu vertices, %zu bones, %zu of them simulated\n", info.garment.c_str(),
              character_body.c_str(), info.imported ? ", imported" : "", info.vertices, info.bones,
              info.simulated_bones);
  std::printf("%zu frames at %g a second in %zu clips: %zu train, %zu validation, %zu holdout, %zu unseen\n",
              info.frames(), info.frames_per_second, info.clips.size(), frames(Part::kTrain),
              frames(Part::kValidation), frames(Part::kHoldout), frames(Part::kUnseen));
  std::printf(
      "strain %.2f %% on average, %.2f %% at the 99th percentile; deeper than 1 mm: %.4f %%, deepest %.1f "
      "mm\n",
      s.strain_mean, s.strain_p99, s.penetrating, s.deepest);
  std::printf("edges through the cloth itself: %.1f a frame\n", s.crossings);
  if (info.chaos.empty())
    std::printf("chaos floor: was not measured\n");
  else
    std::printf("chaos floor: cloth %.1f mm, bones %.1f mm over %zu clips\n", chaos.cloth, chaos.bones,
                info.chaos.size());
  print_left_out(info);
}

void check(const std::string& folder) {
  const std::vector<std::string> errors = dataset::check_dataset(dataset::read_dataset(folder));
  for (const std::string& line : errors) std::fprintf(stderr, "%s\n", line.c_str());
  if (!errors.empty())
    throw std::runtime_error(std::to_string(errors.size()) + " things are wrong with " + folder);
  std::printf("%s is whole\n", folder.c_str());
}

}  // namespace

void print_left_out(const dataset::DatasetInfo& info) {
  for (const dataset::ClipResult& r : info.results())
    if (!r.usable)
      std::printf("left out: clip %zu (%s): %s\n", r.index, r.name.c_str(), dataset::in_words(r).c_str());
}

void add_dataset(CLI::App& app) {
  CLI::App* command =
      app.add_subcommand("dataset", "Inspect, check and merge data sets; import and export caches");
  command->footer(
      "Examples\n"
      "  billow dataset info data/cape --json\n"
      "  billow dataset check data/cape\n"
      "  billow dataset show data/cape --clip 3 --from 40 --every 3 -o clip.png\n"
      "  billow dataset merge data/cape_1 data/cape_2 data/cape_3 data/cape_4 -o data/cape\n"
      "  billow dataset import run.pc2 --fps 24 --garment cape.json --motion run.bvh -o data/cape\n"
      "  billow dataset export data/cape --clip 3 -o cape_3.pc2\n");
  command->require_subcommand(1);
  auto folder = std::make_shared<std::string>();
  auto json = std::make_shared<bool>(false);
  CLI::App* info = command->add_subcommand("info", "Print a summary of a data set");
  info->add_option("folder", *folder, "Folder of the data set")->required();
  info->add_flag("--json", *json, "Print the summary as JSON");
  info->callback([folder, json] { print_info(*folder, *json); });
  CLI::App* check_command =
      command->add_subcommand("check", "Verify a data set: array shapes, checksums and finite values");
  check_command->add_option("folder", *folder, "Folder of the data set")->required();
  check_command->callback([folder] { check(*folder); });
  add_dataset_show(command);
  add_dataset_import(command);
  add_dataset_export(command);
  auto shards = std::make_shared<std::vector<std::string>>();
  auto out = std::make_shared<std::string>();
  CLI::App* merge = command->add_subcommand("merge", "Join the shards of one simulation");
  merge->add_option("shards", *shards, "Folders of the shards")->required();
  merge->add_option("-o,--out", *out, "Folder of the joined data set; it must not exist")->required();
  merge->callback([shards, out] {
    dataset::merge_dataset({shards->begin(), shards->end()}, *out);
    std::printf("%s\n", out->c_str());
  });
}

}  // namespace billow::tool
