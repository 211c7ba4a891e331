// `billow make`: makes a garment file from scratch: describe, simulate, train, pack, evaluate, film. Each step runs as a `billow` command
// and is skipped if its outputs are up to date. Options are checked before the first step runs.
#include <spawn.h>
#include <sys/wait.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>
#include <stdexcept>

#include "character_options.h"
#include "commands.h"
#include "dataset/plan.h"
#include "files.h"
#include "files/whole_file.h"
#include "film.h"
#include "garment/attach.h"
#include "motion_file.h"
#include "vertices_option.h"

extern char** environ;

namespace billow::tool {
namespace {

namespace fs = std::filesystem;

constexpr const char* kFilmMotion = "captured:55_04";

struct MakeOptions {
  std::string garment, out, folder;
  CharacterOptions character;
  std::vector<std::string> describe;  // options of `billow garment describe`
  std::string attach;
  size_t frames = 5000, unseen = 900, vertices = 0, seed = 1;
  std::vector<std::string> motions{kCapturedName};
  double built_in_share = 0.25;
  std::vector<std::string> train;  // further options of `billow train`
  std::string film;                // motion of the film
  bool no_film = false, dry_run = false, quiet = false;

  bool is_built_in() const { return garment == "cape" || garment == "skirt"; }
  bool is_described() const { return fs::path(garment).extension() == ".json"; }
  std::string name() const { return is_built_in() ? garment : fs::path(garment).stem().string(); }
};

struct Step {
  std::string name;
  std::vector<std::string> words;         // arguments of `billow`
  std::vector<fs::path> inputs, outputs;  // the last of `outputs` is written last

  std::string line() const {
    std::string line = "billow";
    for (const std::string& w : words) line += " " + w;
    return line;
  }
};

std::string number(double value) {
  std::ostringstream text;
  text << value;
  return text.str();
}

void append(std::vector<std::string>& words, const std::vector<std::string>& more) {
  words.insert(words.end(), more.begin(), more.end());
}

// The options that name the character, for steps that take it.
std::vector<std::string> character_words(const CharacterOptions& c) {
  std::vector<std::string> words;
  if (c.is_preset() && c.name == CharacterOptions{}.name) return words;
  append(words, {"--character", c.name});
  if (!c.mesh.empty()) append(words, {"--mesh", c.mesh});
  if (!c.weights.empty()) append(words, {"--weights", c.weights});
  if (c.scale > 0) append(words, {"--character-scale", number(c.scale)});
  for (const std::string& node : c.leave_out) append(words, {"--leave-out", node});
  return words;
}

// From a mesh and a character to the description of the garment, and pictures of both before hours are spent.
void add_describing_steps(const MakeOptions& o, const fs::path& body, const fs::path& description,
                          std::vector<Step>& steps) {
  if (!o.character.is_preset() && o.character.body.empty()) {
    Step fit{
        "fit colliders", {"body", "fit", o.character.name, "-o", body.string()}, {o.character.name}, {body}};
    if (!o.character.mesh.empty()) append(fit.words, {"--mesh", o.character.mesh});
    if (!o.character.weights.empty()) append(fit.words, {"--weights", o.character.weights});
    if (o.character.scale > 0) append(fit.words, {"--character-scale", number(o.character.scale)});
    for (const std::string& node : o.character.leave_out) append(fit.words, {"--leave-out", node});
    steps.push_back(std::move(fit));
  }
  if (o.is_built_in() || o.is_described()) return;
  Step describe{"describe",
                {"garment", "describe", o.garment, "--name", o.name(), "-o", description.string()},
                {o.garment},
                {description}};
  append(describe.words, character_words(o.character));
  if (!o.attach.empty()) append(describe.words, {"--attach", o.attach});
  append(describe.words, o.describe);
  const fs::path picture = fs::path(description).replace_extension(".png");
  Step show{
      "show", {"garment", "show", description.string(), "-o", picture.string()}, {description}, {picture}};
  append(show.words, character_words(o.character));
  steps.push_back(std::move(describe));
  steps.push_back(std::move(show));
}

std::vector<Step> steps_of(const MakeOptions& o) {
  const fs::path folder = o.folder, data = folder / "data", exact = folder / (o.name() + ".exact.billow"),
                 packed = folder / (o.name() + ".billow"), json = folder / "evaluation.json",
                 page = folder / "evaluation.html",
                 body = o.character.body.empty() ? folder / "body.json" : fs::path(o.character.body),
                 description = o.is_described() ? fs::path(o.garment) : folder / (o.name() + ".json");
  std::vector<Step> steps;
  add_describing_steps(o, body, description, steps);

  Step simulate{
      "simulate",
      {"simulate", o.is_built_in() ? o.garment : description.string(), "-o", data.string(), "--frames",
       std::to_string(o.frames), "--unseen", std::to_string(o.unseen), "--seed", std::to_string(o.seed)},
      {},
      {data / "manifest.json"}};
  if (!o.is_built_in()) simulate.inputs.push_back(description);
  append(simulate.words, character_words(o.character));
  if (!o.character.is_preset())
    append(simulate.words, {"--body", body.string()}), simulate.inputs.push_back(body);
  for (const std::string& name : o.motions)
    if (name != kBuiltInName) append(simulate.words, {"--motions", name});
  if (o.built_in_share != MakeOptions{}.built_in_share)
    append(simulate.words, {"--built-in-share", number(o.built_in_share)});
  if (o.vertices > 0) append(simulate.words, {"--vertices", std::to_string(o.vertices)});
  steps.push_back(std::move(simulate));

  // --resume also starts a new training. Evaluation is left to a later step, which measures the packed file.
  Step train{
      "train",
      {"train", data.string(), "-o", exact.string(), "--storage", "fp32", "--evaluate", "none", "--resume"},
      {data / "manifest.json"},
      {exact}};
  append(train.words, o.train);
  steps.push_back(std::move(train));
  steps.push_back(
      {"pack", {"pack", exact.string(), "-o", packed.string(), "--data", data.string()}, {exact}, {packed}});
  steps.push_back({"evaluate",
                   {"evaluate", packed.string(), data.string(), "--store", "--json", json.string(), "--html",
                    page.string()},
                   {packed},
                   {json, page}});
  if (!o.film.empty()) {
    // A strip of pictures where nothing encodes films.
    const bool films = has_ffmpeg();
    const fs::path film = folder / (o.name() + (films ? ".mp4" : "_strip.png"));
    Step render{"film",
                {"render", packed.string(), "--motion", o.film, "--rays", "0", "-o", film.string()},
                {packed},
                {film}};
    append(render.words,
           films ? std::vector<std::string>{"--size", "720x900"} : std::vector<std::string>{"--panels", "8"});
    append(render.words, character_words(o.character));
    steps.push_back(std::move(render));
  }
  if (o.quiet)
    for (Step& step : steps)
      if (step.name != "fit colliders" && step.name != "describe" && step.name != "show")
        step.words.push_back("--quiet");
  return steps;
}

// Records the command of each finished step in made.json: outputs made with other options are not up to date.
class CommandLog {
 public:
  explicit CommandLog(const MakeOptions& o) : file_(fs::path(o.folder) / "made.json") {
    if (fs::exists(file_))
      commands_ = nlohmann::ordered_json::parse(files::read_whole_file(file_), nullptr, false);
    if (!commands_.is_object()) commands_ = nlohmann::ordered_json::object();
    // Compare commands regardless of the output folder and of --quiet.
    MakeOptions normalised = o;
    normalised.folder = ".", normalised.quiet = false;
    steps_ = steps_of(normalised);
  }
  bool is_same_command(size_t step) const {
    const Step& current = steps_[step];
    return !commands_.contains(current.name) || commands_[current.name] == current.line();
  }
  void record(size_t step) {
    const Step& current = steps_[step];
    commands_[current.name] = current.line();
    files::write_whole_file(file_, commands_.dump(2) + "\n");
  }

 private:
  fs::path file_;
  nlohmann::ordered_json commands_;
  std::vector<Step> steps_;
};

// Whether all outputs exist and none is older than an input.
bool is_up_to_date(const Step& step) {
  for (const fs::path& output : step.outputs) {
    if (!fs::exists(output)) return false;
    for (const fs::path& input : step.inputs)
      if (!fs::exists(input) || fs::last_write_time(output) < fs::last_write_time(input)) return false;
  }
  return true;
}

// Runs `billow` with these arguments. Returns whether it exited with 0.
bool run_billow(const std::vector<std::string>& words) {
  // Resolve the path once: after a reinstallation during the run, /proc/self/exe reads "... (deleted)".
  static const std::string program = fs::read_symlink("/proc/self/exe").string();
  std::vector<char*> argv{const_cast<char*>(program.c_str())};
  for (const std::string& w : words) argv.push_back(const_cast<char*>(w.c_str()));
  argv.push_back(nullptr);
  pid_t child = 0;
  int status = 0;
  if (const int error = posix_spawn(&child, program.c_str(), nullptr, nullptr, argv.data(), environ))
    throw std::runtime_error(program + ": could not be run: " + std::strerror(error));
  return waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

// Fails before hours of simulation if the trainer is missing or rejects the --train options.
void check_training(const Step& train) {
  std::vector<std::string> words = train.words;
  words.push_back("--dry-run");
  if (!run_billow(words))
    throw std::runtime_error("make: training would fail as said above, so nothing was made:\n  " +
                             train.line());
}

void check(const MakeOptions& o) {
  if (o.is_built_in()) {
    if (!o.character.is_preset())
      throw std::runtime_error("make: the " + o.garment +
                               " that comes with Billow is made to measure for the "
                               "built-in person: expected your own mesh or garment.json for " +
                               o.character.name);
    if (!o.attach.empty() || !o.describe.empty())
      throw std::runtime_error("make: --attach and --describe are for your own mesh, found the " + o.garment);
    return;
  }
  if (!fs::exists(o.garment))
    throw std::runtime_error(
        "make: expected cape, skirt, a mesh (.obj, .glb, .gltf, .fbx, .dae) or a garment.json, found " +
        o.garment + ", and no such file");
  if (!o.is_described() && o.attach.empty() && o.describe.empty())
    throw std::runtime_error("make: expected where " + o.garment +
                             " is attached: --attach waist, neck or shoulders, or "
                             "another way, as in --describe=--group=collar");
}

void run_make(MakeOptions o) {
  check(o);
  // The result is a file where its name says so; all others lie in a folder beside it.
  const bool names_file = fs::path(o.out).extension() == ".billow";
  o.folder = o.out.empty() ? "data/" + o.name() + "_made"
             : names_file
                 ? (fs::path(o.out).parent_path() / (fs::path(o.out).stem().string() + "_made")).string()
                 : o.out;
  if (!o.film.empty() && !has_ffmpeg())
    throw std::runtime_error(
        "make: --film needs ffmpeg: apt install ffmpeg, or leave it out for a strip of pictures");
  if (!o.no_film && o.film.empty()) o.film = kFilmMotion;
  const std::vector<Step> steps = steps_of(o);
  CommandLog command_log(o);
  std::vector<bool> done;
  for (const Step& step : steps)
    done.push_back((done.empty() || done.back()) && command_log.is_same_command(done.size()) &&
                   is_up_to_date(step));
  const auto named = [&](const char* name) {
    return static_cast<size_t>(
        std::find_if(steps.begin(), steps.end(), [&](const Step& s) { return s.name == name; }) -
        steps.begin());
  };
  if (!o.dry_run) {
    if (!done[named("train")]) check_training(steps[named("train")]);
    make_folder(o.folder);
  }
  for (size_t k = 0; k < steps.size(); ++k) {
    if (!o.quiet || o.dry_run)
      std::printf("%s%s\n", done[k] ? "done already: " : "", steps[k].line().c_str());
    std::fflush(stdout);
    if (done[k] || o.dry_run) continue;
    if (!run_billow(steps[k].words))
      throw std::runtime_error(
          "make: this step failed, and make goes on from here when it is started again:\n  " +
          steps[k].line());
    command_log.record(k);
  }
  if (!names_file || o.dry_run) return;
  files::write_whole_file(o.out, files::read_whole_file(steps[named("pack")].outputs[0]));
  if (!o.quiet) std::printf("%s\n", o.out.c_str());
}

}  // namespace

void add_make(CLI::App& app) {
  auto o = std::make_shared<MakeOptions>();
  CLI::App* command = app.add_subcommand(
      "make", "Make a garment file from scratch: describe, simulate, train, pack, evaluate and film");
  command
      ->add_option(
          "garment,--garment", o->garment,
          "Built-in garment, cape or skirt; a mesh of your own (.obj, .glb, .gltf, .fbx, .dae), at rest on "
          "its character; or its description (garment.json)")
      ->required();
  command->add_option(
      "-o,--out", o->out,
      "Garment file to write (.billow), with a folder NAME_made for all others beside it, or that "
      "folder; default: data/GARMENT_made");
  add_character_options(*command, o->character);
  command->add_option("--attach", o->attach, "Attach the mesh above the character's waist, neck or shoulders")
      ->check(CLI::IsMember(garment::attachment_sites()));
  command->add_option("--describe", o->describe,
                      "Option to pass to `billow garment describe`; may be repeated: --describe=--chains=20");
  command->add_option("--frames", o->frames, "Number of frames for training, validation and holdout")
      ->capture_default_str()
      ->check(CLI::Range(dataset::kMinFrames, size_t{10'000'000}));
  command
      ->add_option("--unseen", o->unseen, "Number of further frames in test clips that training never sees")
      ->capture_default_str()
      ->check(CLI::Range(0, 10'000'000));
  add_vertices_option(*command, o->vertices);
  command->add_option("--seed", o->seed, "Random seed of the motions")->capture_default_str();
  command
      ->add_option(
          "--motions", o->motions,
          "Motions to learn from, beside built-in ones: `captured` for the captured clips that come with "
          "Billow, folders of motion files, or `built-in` for built-in ones alone; may be repeated")
      ->capture_default_str();
  command
      ->add_option("--built-in-share", o->built_in_share,
                   "Share of --frames in built-in motions beside others")
      ->check(CLI::Range(0.0, 1.0))
      ->capture_default_str();
  command->add_option("--train", o->train,
                      "Option to pass to `billow train`; may be repeated: --train=--epochs=20");
  command->add_option("--film", o->film,
                      std::string("Motion of the film at the end; default: ") + kFilmMotion + ", a walk");
  command->add_flag("--no-film", o->no_film,
                    "Make neither a film nor, where ffmpeg is missing, a strip of pictures");
  command->add_flag("--dry-run", o->dry_run, "Print the commands without running them");
  command->add_flag("--quiet", o->quiet, "Print errors only");
  command->footer(
      "A mesh of your own is attached to the character, and colliders are fitted to a character file. The "
      "folder gets\n"
      "pictures of both before the simulation starts.\n\n"
      "The folder gets the data set (data/), the exact file (GARMENT.exact.billow), the packed file that "
      "you\n"
      "ship (GARMENT.billow) and its evaluation (evaluation.json, evaluation.html) and a film; the table "
      "that is "
      "printed\n"
      "is of the packed file. Started again, make continues an interrupted job and skips steps whose output\n"
      "is up to date.\n\n"
      "Examples\n"
      "  billow make cape --dry-run\n"
      "  billow make cape -o data/mine\n"
      "  billow make dress.obj --attach waist --character hero.glb --frames 5000 -o dress.billow\n"
      "  billow make skirt --frames 300 --unseen 60 --vertices 1500 -o small --train=--epochs=20\n");
  command->callback([o] { run_make(*o); });
}

}  // namespace billow::tool
