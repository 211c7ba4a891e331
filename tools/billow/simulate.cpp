// `billow simulate`: simulates a data set of reference cloth.
#include "dataset/simulate.h"

#include <algorithm>
#include <cstdio>
#include <memory>
#include <thread>

#include "commands.h"
#include "dataset/reader/dataset_file.h"
#include "dataset_exchange.h"
#include "garment/tailor.h"
#include "motion_file.h"
#include "progress.h"
#include "vertices_option.h"

namespace billow::tool {
namespace {

struct SimulateOptions {
  dataset::Job job;
  std::string shard, out, device = "auto";
  std::vector<std::string> clips;
  bool dry_run = false, quiet = false;
};

void parse_shard(SimulateOptions& options) {
  if (options.shard.empty()) return;
  char trailing = 0;
  if (std::sscanf(options.shard.c_str(), "%d/%d%c", &options.job.shard, &options.job.shards, &trailing) !=
          2 ||
      options.job.shard < 1 || options.job.shard > options.job.shards)
    throw std::runtime_error("--shard: expected a number of all, such as 1/4, found " + options.shard);
  --options.job.shard;
}

void print_plan(const dataset::Job& job) {
  size_t frames = 0, unseen = 0, clips = 0;
  for (const dataset::PlannedClip& clip : dataset::plan(job.request)) {
    frames += clip.frames, ++clips;
    unseen += static_cast<size_t>(std::count(clip.parts.begin(), clip.parts.end(), 'u'));
    std::printf("%-20s %5zu frames%s\n", clip.name.c_str(), clip.frames,
                clip.parts.find('u') != std::string::npos ? ", unseen" : "");
  }
  std::printf("%zu clips, %zu frames, %zu of them in clips that are never learnt from\n", clips, frames,
              unseen);
}

// Lists clips excluded from the data set. Throws if no frames are left for training or validation.
void check_result(const dataset::Job& job, bool quiet) {
  if (job.shards > 1) return;
  const dataset::DatasetInfo info = dataset::read_dataset(job.folder);
  if (!quiet || info.frames() == 0) print_left_out(info);
  if (info.frames(dataset::Part::kTrain) == 0 || info.frames(dataset::Part::kValidation) == 0)
    throw std::runtime_error(job.folder.string() +
                             ": expected frames for training and validation, found none in clips that are "
                             "usable; try more --frames, more --vertices or another --seed");
}

void simulate(SimulateOptions options) {
  dataset::Job& job = options.job;
  parse_shard(options);
  job.device = dataset::device_named(options.device);
  job.folder = options.out.empty() ? "data/" + job.request.garment : options.out;
  if (!options.clips.empty()) {
    const body::Person person = body::make_person(body::person_preset(job.request.preset));
    for (const std::string& name : options.clips) {
      const std::optional<MotionFile> file = motion_file_named(name);
      if (!file)
        throw std::runtime_error("--clip: expected a .bvh, .glb, .gltf, .fbx or .dae file, found " + name);
      job.request.clips.push_back(motion_on_person(*file, person));
      job.request.clips.back().name = name;
    }
  }
  if (options.dry_run) return print_plan(job);
  Progress line("simulating");
  job.report = [&](const dataset::Progress& p) {
    if (options.quiet) return;
    if (!p.note.empty()) std::fprintf(stderr, "%s\n", p.note.c_str());
    if (p.frames > 0) line(static_cast<double>(p.frames_done) / static_cast<double>(p.frames));
  };
  dataset::simulate(job);
  check_result(job, options.quiet);
  if (options.quiet) return;
  std::printf("%s: done in %.0f s\n", job.folder.string().c_str(), line.seconds());
}

}  // namespace

void add_simulate(CLI::App& app) {
  auto options = std::make_shared<SimulateOptions>();
  options->job.threads = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  dataset::Request& request = options->job.request;
  CLI::App* command =
      app.add_subcommand("simulate", "Simulate a data set of reference cloth on a moving person");
  std::vector<std::string> names;
  for (const garment::BuiltIn& b : garment::built_in_garments()) names.push_back(b.name);
  command->add_option("garment", request.garment, "Built-in garment: cape or skirt")
      ->required()
      ->check(CLI::IsMember(names));
  command->add_option("-o,--out", options->out, "Folder of the data set; default: data/GARMENT");
  command->add_option("--frames", request.frames, "Number of frames for training, validation and holdout")
      ->check(CLI::Range(dataset::kMinFrames, size_t{10'000'000}))
      ->capture_default_str();
  command
      ->add_option("--unseen", request.unseen,
                   "Number of further frames in test clips that training never sees")
      ->check(CLI::Range(0, 10'000'000))
      ->capture_default_str();
  command->add_option("--seed", request.seed, "Random seed of the motions")->capture_default_str();
  command->add_option("--preset", request.preset, "Built-in person: slim, average or heavy")
      ->check(CLI::IsMember(body::person_presets()))
      ->capture_default_str();
  command
      ->add_option("--mix", request.mix,
                   "Mix of built-in motions: cape, skirt or all; default: the garment's")
      ->check(CLI::IsMember({"cape", "skirt", "all"}));
  command->add_option(
      "--clip", options->clips,
      "Motion file to use before built-in motions; may be repeated: run.bvh, robot.glb:Running");
  add_vertices_option(*command, request.vertices);
  command->add_option("--threads", options->job.threads, "Number of clips simulated in parallel")
      ->check(CLI::Range(1, 1024))
      ->capture_default_str();
  command
      ->add_option("--device", options->device,
                   "Where cloth is simulated: cpu, cuda, or auto: on a CUDA device if there is one")
      ->check(CLI::IsMember({"cpu", "cuda", "auto"}))
      ->capture_default_str();
  command->add_option("--shard", options->shard,
                      "Simulate every n-th clip only, to share work between machines: 1/4 to 4/4");
  command->add_flag("--dry-run", options->dry_run, "Print the planned clips without simulating them");
  command->add_flag("--quiet", options->quiet, "Print errors only");
  command->footer(
      "Started again, an interrupted job continues and ends with the same files. `billow dataset merge` "
      "joins\n"
      "shards.\n\n"
      "Examples\n"
      "  billow simulate cape --frames 5000 -o data/cape\n"
      "  billow simulate skirt --dry-run\n"
      "  billow simulate cape --frames 300 --unseen 60 --vertices 1500 -o /tmp/small\n"
      "  billow simulate cape --clip 05_06.bvh --clip robot.glb:Running -o data/mine\n"
      "  billow simulate cape --shard 2/4 -o data/cape_2\n");
  command->callback([options] { simulate(*options); });
}

}  // namespace billow::tool
