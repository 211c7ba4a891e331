// `billow simulate`: simulates a data set of reference cloth.
#include "dataset/simulate.h"

#include <algorithm>
#include <cstdio>
#include <memory>
#include <thread>

#include "character_options.h"
#include "commands.h"
#include "contacts_option.h"
#include "dataset/captured.h"
#include "dataset/reader/dataset_file.h"
#include "dataset_exchange.h"
#include "garment/garment_file.h"
#include "garment/tailor.h"
#include "motion_file.h"
#include "motion_folder.h"
#include "progress.h"
#include "vertices_option.h"

namespace billow::tool {
namespace {

struct SimulateOptions {
  dataset::Job job;
  CharacterOptions character;
  std::string shard, out, device = "auto";
  std::vector<std::string> clips, only;            // --clip, --clips
  std::vector<std::string> motions, test_motions;  // folders, or kCapturedName or kBuiltInName
  bool dry_run = false, json = false, quiet = false;
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
  const std::vector<dataset::PlannedClip> clips = dataset::plan(job.request);
  size_t frames = 0;
  for (const dataset::PlannedClip& clip : clips) {
    frames += clip.frames;
    // A clip is of one part as a whole unless built-in motions alone are split by frames.
    const bool whole = clip.parts.find_first_not_of(clip.parts[0]) == std::string::npos;
    const char* part = !whole                 ? ""
                       : clip.parts[0] == 'u' ? ", unseen"
                       : clip.parts[0] == 'v' ? ", validation"
                       : clip.parts[0] == 'h' ? ", holdout"
                                              : "";
    std::printf("%-20s %5zu frames%s\n", clip.name.c_str(), clip.frames, part);
  }
  std::printf("%s; %zu frames in all\n", dataset::plan_in_words(clips).c_str(), frames);
}

void add_own_clips(const SimulateOptions& options, const dataset::OwnedCharacterBody& character,
                   dataset::Request& request) {
  for (const std::string& name : options.clips) {
    const motion::BundledClip* captured = captured_clip_named(name);
    if (captured && captured->test)
      throw std::runtime_error("--clip: expected a clip to learn from, found the test clip " + name +
                               "; --clips makes test clips unseen ones");
    const std::optional<MotionFile> file = motion_file_named(name);
    if (!captured && !file)
      throw std::runtime_error(
          "--clip: expected a .bvh, .glb, .gltf, .fbx or .dae file or a captured clip, found " + name);
    request.clips.push_back(
        file && !character.preset.empty()
            ? motion_on_person(*file, dataset::person_of(character))
            : motion_for(name, character.skeleton, character.preset, 0, 0, options.character.scale));
    request.clips.back().name = name;
  }
}

void add_folder(const std::string& folder, bool test, const body::Skeleton& skeleton,
                dataset::Request& request) {
  std::vector<std::string> skipped;
  for (FolderClip& one : clips_in_folder(folder, skeleton, skipped)) {
    one.clip.clip.name = one.motion_name;
    request.captured.push_back({std::move(one.clip.clip), one.clip.subject, test});
  }
  for (const std::string& reason : skipped) std::fprintf(stderr, "left out: %s\n", reason.c_str());
}

void add_motions(const SimulateOptions& options, const dataset::OwnedCharacterBody& character,
                 dataset::Request& request) {
  add_own_clips(options, character, request);
  bool captured = !options.only.empty();
  for (const std::string& name : options.motions) {
    if (name == kCapturedName)
      captured = true;
    else if (name != kBuiltInName)
      add_folder(name, false, character.skeleton, request);
  }
  for (const std::string& folder : options.test_motions)
    add_folder(folder, true, character.skeleton, request);
  if (captured) dataset::add_captured_clips(captured_bundle(), options.only, character, request);
}

// The garment and the character of the user's own.
void add_own(const SimulateOptions& options, const dataset::OwnedCharacterBody& character,
             dataset::Job& job) {
  dataset::Request& request = job.request;
  const std::filesystem::path file = request.garment;
  if (file.extension() != ".json") {
    if (!options.character.is_preset())
      throw std::runtime_error("the " + request.garment +
                               " that comes with Billow is made to measure for the "
                               "built-in person: expected a garment.json, as `billow garment describe` makes "
                               "it, for " +
                               options.character.name);
    request.preset = options.character.name;
    return;
  }
  if (request.vertices > 0)
    throw std::runtime_error("--vertices: " + request.garment + " has a mesh, so expected none");
  job.own_garment = garment::read_garment_file(file, character.skeleton);
  request.garment = job.own_garment->name;
  request.preset = character.preset;
  if (request.mix.empty()) request.mix = job.own_garment->closed ? "skirt" : "cape";
  // A rest is a drape on this character, which the description may come with. Its bits are in the checksum.
  job.own_files = dataset::character_files(character);
  if (character.preset.empty()) job.own_character = character;
}

// Throws if nothing can be used, or if there is nothing to train with although that was asked for.
void check_result(const dataset::Job& job, const std::vector<dataset::ClipResult>& results) {
  if (!results.empty() && dataset::usable_frames(results) == 0)
    throw std::runtime_error(job.folder.string() +
                             ": expected clips that pass the reference's check, found none of " +
                             std::to_string(results.size()) + ":\n" + dataset::summary_in_words(results));
  if (job.shards > 1 || job.request.all_captured || job.request.frames == 0) return;
  const dataset::DatasetInfo info = dataset::read_dataset(job.folder);
  if (info.frames(dataset::Part::kTrain) == 0 || info.frames(dataset::Part::kValidation) == 0)
    throw std::runtime_error(job.folder.string() +
                             ": expected frames for training and validation, found none in clips that are "
                             "usable; try more --frames, more --vertices or another --seed");
}

void simulate(SimulateOptions options) {
  dataset::Job& job = options.job;
  parse_shard(options);
  job.device = dataset::device_named(options.device);
  const GivenCharacter given(options.character);
  const dataset::OwnedCharacterBody& character = given.body();
  add_own(options, character, job);
  job.folder = options.out.empty() ? "data/" + job.request.garment : options.out;
  add_motions(options, character, job.request);
  if (options.dry_run) return print_plan(job);
  Progress line("simulating");
  job.report = [&](const dataset::Progress& p) {
    if (options.quiet) return;
    if (!p.note.empty()) line.note(p.note);
    if (p.frames > 0) line(static_cast<double>(p.frames_done) / static_cast<double>(p.frames));
  };
  const std::vector<dataset::ClipResult> results = dataset::simulate(job);
  if (options.json)
    std::printf("%s", dataset::summary_as_json(results, job.folder.string(),
                                               static_cast<double>(job.request.frames_per_second))
                          .c_str());
  check_result(job, results);
  if (options.quiet || options.json) return;
  std::printf("%s%s: done in %.0f s\n", dataset::summary_in_words(results).c_str(),
              job.folder.string().c_str(), line.seconds());
}

void add_motion_options(CLI::App& command, SimulateOptions& o) {
  command.add_option(
      "--motions", o.motions,
      "Motions to draw clips from, beside built-in ones: a folder of motion files, or `captured` for the "
      "captured clips that come with Billow; may be repeated");
  command.add_option("--test-motions", o.test_motions,
                     "Folder of motion files that are never learnt from; may be repeated");
  command
      .add_option("--built-in-share", o.job.request.built_in_share,
                  "Share of --frames in built-in motions, where --motions are given")
      ->check(CLI::Range(0.0, 1.0))
      ->capture_default_str();
  command
      .add_option("--clips", o.only,
                  "Only these captured clips, whole, and no other motions, separated by commas: 07_03,05_14")
      ->delimiter(',')
      ->excludes("--motions", "--test-motions", "--built-in-share", "--clip", "--frames", "--unseen");
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
  command
      ->add_option("garment", request.garment,
                   "Built-in garment, cape or skirt, or the description of your own (garment.json)")
      ->required()
      ->check([names](const std::string& name) {
        const bool known = std::find(names.begin(), names.end(), name) != names.end();
        return known || std::filesystem::path(name).extension() == ".json"
                   ? std::string()
                   : "expected cape, skirt or a garment description (.json), as `billow garment describe` "
                     "makes it, found " +
                         name;
      });
  add_character_options(*command, options->character);
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
  command->add_option("--preset", options->character.name, "The same as --character, for built-in persons")
      ->check(CLI::IsMember(body::person_presets()));
  command
      ->add_option("--mix", request.mix,
                   "Mix of built-in motions: cape, skirt or all; default: the garment's, for your own that "
                   "of the skirt where "
                   "it closes round the body, else that of the cape")
      ->check(CLI::IsMember({"cape", "skirt", "all"}));
  command->add_option(
      "--clip", options->clips,
      "Motion to use before all others; may be repeated: run.bvh, robot.glb:Running, captured:07_03");
  add_motion_options(*command, *options);
  add_vertices_option(*command, request.vertices);
  command->add_option_function<std::string>(
      "--contacts", [&request](const std::string& text) { request.contacts = contacts_option(text); },
      kContactsHelp);
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
  command->add_flag("--json", options->json, "Print the summary of the clips as JSON");
  command->add_flag("--quiet", options->quiet, "Print errors only");
  command->footer(
      "Data sets with --motions are split into training, validation and holdout by whole clips, others by\n"
      "frames. Test clips of the captured ones and of --test-motions become unseen clips.\n\n"
      "Started again, an interrupted job continues and ends with the same files. `billow dataset merge` "
      "joins\n"
      "shards.\n\n"
      "Examples\n"
      "  billow simulate cape --frames 5000 -o data/cape\n"
      "  billow simulate skirt --dry-run\n"
      "  billow simulate cape --frames 300 --unseen 60 --vertices 1500 -o /tmp/small\n"
      "  billow simulate cape --clip 05_06.bvh --clip robot.glb:Running -o data/mine\n"
      "  billow simulate cape --motions captured --frames 20000 --unseen 4000 -o data/cape\n"
      "  billow simulate cape --motions my_takes/ --test-motions my_tests/ --built-in-share 0 -o data/mine\n"
      "  billow simulate skirt --clips 07_03,05_14 -o data/check\n"
      "  billow simulate cape --shard 2/4 -o data/cape_2\n"
      "  billow simulate dress.json --character hero.glb --body hero.json --motions captured -o "
      "data/dress\n");
  command->callback([options] { simulate(*options); });
}

}  // namespace billow::tool
