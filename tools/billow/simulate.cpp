// `billow simulate`: makes a data set of reference cloth.
#include "dataset/simulate.h"

#include <algorithm>
#include <cstdio>
#include <memory>
#include <thread>

#include "commands.h"
#include "garment/tailor.h"
#include "motion_file.h"
#include "progress.h"

namespace billow::tool {
namespace {

struct SimulateOptions {
  dataset::Job job;
  std::string shard, out;
  std::vector<std::string> clips;
  bool dry_run = false, quiet = false;
};

void read_shard(SimulateOptions& options) {
  if (options.shard.empty()) return;
  char rest = 0;
  if (std::sscanf(options.shard.c_str(), "%d/%d%c", &options.job.shard, &options.job.shards, &rest) != 2 ||
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

void simulate(SimulateOptions options) {
  dataset::Job& job = options.job;
  read_shard(options);
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
  if (options.quiet) return;
  std::printf("%s: done in %.0f s\n", job.folder.string().c_str(), line.seconds());
}

}  // namespace

void add_simulate(CLI::App& app) {
  auto options = std::make_shared<SimulateOptions>();
  options->job.threads = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  dataset::Request& request = options->job.request;
  CLI::App* command = app.add_subcommand("simulate", "Make a data set: reference cloth on a moving person");
  std::vector<std::string> names;
  for (const garment::BuiltIn& b : garment::built_in_garments()) names.push_back(b.name);
  command->add_option("garment", request.garment, "cape or skirt")->required()->check(CLI::IsMember(names));
  command->add_option("-o,--out", options->out,
                      "Folder of the data set; default: data/ and the garment's name");
  command->add_option("--frames", request.frames, "Frames to learn from")
      ->check(CLI::Range(1, 10'000'000))
      ->capture_default_str();
  command->add_option("--unseen", request.unseen, "Frames of more clips, which are never learnt from")
      ->check(CLI::Range(0, 10'000'000))
      ->capture_default_str();
  command->add_option("--seed", request.seed, "Another seed makes other motions")->capture_default_str();
  command->add_option("--preset", request.preset, "The person: slim, average or heavy")
      ->check(CLI::IsMember(body::person_presets()))
      ->capture_default_str();
  command->add_option("--mix", request.mix, "Which motions: cape, skirt or all; default: the garment's")
      ->check(CLI::IsMember({"cape", "skirt", "all"}));
  command->add_option("--clip", options->clips, "Motions of your own, first: run.bvh, robot.glb:Running");
  command->add_option("--vertices", request.vertices, "Fewer than the garment has, for a quick try");
  command->add_option("--threads", options->job.threads, "Clips at a time")
      ->check(CLI::Range(1, 1024))
      ->capture_default_str();
  command->add_option("--shard", options->shard, "Only a part of the clips: 1/4 to 4/4 on four machines");
  command->add_flag("--dry-run", options->dry_run, "Print what would be made");
  command->add_flag("--quiet", options->quiet, "Print nothing");
  command->footer(
      "A job that was stopped goes on where it was when it is started again, and ends with the same files.\n"
      "Put shards together with `billow dataset merge`.\n\n"
      "Examples\n"
      "  billow simulate cape --frames 5000 -o data/cape\n"
      "  billow simulate skirt --dry-run\n"
      "  billow simulate cape --frames 300 --unseen 60 --vertices 1500 -o /tmp/small\n"
      "  billow simulate cape --clip 05_06.bvh --clip robot.glb:Running -o data/mine\n"
      "  billow simulate cape --shard 2/4 -o data/cape_2\n");
  command->callback([options] { simulate(*options); });
}

}  // namespace billow::tool
