// `billow make`: makes a garment file from scratch: simulate, train, pack, evaluate. Each step runs as a `billow` command
// and is skipped if its outputs are up to date. Options are checked before the first step runs.
#include <spawn.h>
#include <sys/wait.h>

#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>
#include <stdexcept>

#include "commands.h"
#include "dataset/plan.h"
#include "files.h"
#include "files/whole_file.h"
#include "motion_file.h"
#include "vertices_option.h"

extern char** environ;

namespace billow::tool {
namespace {

namespace fs = std::filesystem;

struct MakeOptions {
  std::string garment, folder;
  size_t frames = 5000, unseen = 900, vertices = 0, seed = 1;
  std::vector<std::string> motions{kCapturedName};
  double built_in_share = 0.25;
  std::vector<std::string> train;  // further options of `billow train`
  bool dry_run = false, quiet = false;
};

struct Step {
  std::vector<std::string> words;         // arguments of `billow`
  std::vector<fs::path> inputs, outputs;  // the last of `outputs` is written last

  std::string line() const {
    std::string line = "billow";
    for (const std::string& w : words) line += " " + w;
    return line;
  }
};

struct Steps {
  Step simulate, train, pack, evaluate;
  std::vector<const Step*> all() const { return {&simulate, &train, &pack, &evaluate}; }
};

Steps steps_of(const MakeOptions& o) {
  const fs::path folder = o.folder, data = folder / "data", exact = folder / (o.garment + ".exact.billow"),
                 packed = folder / (o.garment + ".billow"), json = folder / "evaluation.json",
                 page = folder / "evaluation.html";
  Steps s;
  s.simulate = {{"simulate", o.garment, "-o", data.string(), "--frames", std::to_string(o.frames), "--unseen",
                 std::to_string(o.unseen), "--seed", std::to_string(o.seed)},
                {},
                {data / "manifest.json"}};
  for (const std::string& name : o.motions)
    if (name != kBuiltInName) s.simulate.words.insert(s.simulate.words.end(), {"--motions", name});
  if (o.built_in_share != MakeOptions{}.built_in_share) {
    std::ostringstream share;
    share << o.built_in_share;
    s.simulate.words.insert(s.simulate.words.end(), {"--built-in-share", share.str()});
  }
  if (o.vertices > 0)
    s.simulate.words.insert(s.simulate.words.end(), {"--vertices", std::to_string(o.vertices)});
  // --resume also starts a new training. Evaluation is left to the last step, which measures the packed file.
  s.train = {
      {"train", data.string(), "-o", exact.string(), "--storage", "fp32", "--evaluate", "none", "--resume"},
      {data / "manifest.json"},
      {exact}};
  s.train.words.insert(s.train.words.end(), o.train.begin(), o.train.end());
  s.pack = {{"pack", exact.string(), "-o", packed.string(), "--data", data.string()}, {exact}, {packed}};
  s.evaluate = {{"evaluate", packed.string(), data.string(), "--store", "--json", json.string(), "--html",
                 page.string()},
                {packed},
                {json, page}};
  if (o.quiet)
    for (Step* step : {&s.simulate, &s.train, &s.pack, &s.evaluate}) step->words.push_back("--quiet");
  return s;
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
    const Step& current = *steps_.all()[step];
    return !commands_.contains(current.words[0]) || commands_[current.words[0]] == current.line();
  }
  void record(size_t step) {
    const Step& current = *steps_.all()[step];
    commands_[current.words[0]] = current.line();
    files::write_whole_file(file_, commands_.dump(2) + "\n");
  }

 private:
  fs::path file_;
  nlohmann::ordered_json commands_;
  Steps steps_;
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

void run_make(MakeOptions o) {
  if (o.folder.empty()) o.folder = "data/" + o.garment + "_made";
  const Steps steps = steps_of(o);
  CommandLog command_log(o);
  std::vector<bool> done;
  for (const Step* step : steps.all())
    done.push_back((done.empty() || done.back()) && command_log.is_same_command(done.size()) &&
                   is_up_to_date(*step));
  if (!o.dry_run) {
    if (!done[1]) check_training(steps.train);
    make_folder(o.folder);
  }
  for (size_t k = 0; k < done.size(); ++k) {
    const Step& step = *steps.all()[k];
    if (!o.quiet || o.dry_run) std::printf("%s%s\n", done[k] ? "done already: " : "", step.line().c_str());
    std::fflush(stdout);
    if (done[k] || o.dry_run) continue;
    if (!run_billow(step.words))
      throw std::runtime_error(
          "make: this step failed, and make goes on from here when it is started again:\n  " + step.line());
    command_log.record(k);
  }
}

}  // namespace

void add_make(CLI::App& app) {
  auto o = std::make_shared<MakeOptions>();
  CLI::App* command =
      app.add_subcommand("make", "Make a garment file from scratch: simulate, train, pack and evaluate");
  command->add_option("garment", o->garment, "Built-in garment: cape or skirt")
      ->required()
      ->check(CLI::IsMember({"cape", "skirt"}));
  command->add_option("-o,--out", o->folder, "Folder for all files; default: data/GARMENT_made");
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
  command->add_flag("--dry-run", o->dry_run, "Print the commands without running them");
  command->add_flag("--quiet", o->quiet, "Print errors only");
  command->footer(
      "The folder gets the data set (data/), the exact file (GARMENT.exact.billow), the packed file that "
      "you\n"
      "ship (GARMENT.billow) and its evaluation (evaluation.json, evaluation.html); the table that is "
      "printed\n"
      "is of the packed file. Started again, make continues an interrupted job and skips steps whose output\n"
      "is up to date.\n\n"
      "Examples\n"
      "  billow make cape --dry-run\n"
      "  billow make cape -o data/mine\n"
      "  billow make skirt --frames 300 --unseen 60 --vertices 1500 -o small --train=--epochs=20\n");
  command->callback([o] { run_make(*o); });
}

}  // namespace billow::tool
