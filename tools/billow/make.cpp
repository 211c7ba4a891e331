// `billow make`: from nothing to a garment file: simulate, train, evaluate, pack. Each step is a command of its own, and is left
// out where what it makes is there already.
#include <spawn.h>
#include <sys/wait.h>

#include <cstdio>
#include <filesystem>
#include <memory>
#include <stdexcept>

#include "commands.h"
#include "files.h"

extern char** environ;

namespace billow::tool {
namespace {

namespace fs = std::filesystem;

struct MakeOptions {
  std::string garment, folder;
  size_t frames = 5000, unseen = 900, vertices = 0, seed = 1;
  std::vector<std::string> train;  // more options of `billow train`
  bool dry_run = false, quiet = false;
};

struct Step {
  std::vector<std::string> words;     // of `billow`
  std::vector<fs::path> from, makes;  // the last of `makes` is written last
};

std::vector<Step> steps_of(const MakeOptions& o) {
  const fs::path folder = o.folder, data = folder / "data", exact = folder / (o.garment + ".exact.billow"),
                 packed = folder / (o.garment + ".billow"), json = folder / "evaluation.json",
                 page = folder / "evaluation.html";
  std::vector<std::string> simulate = {"simulate", o.garment,
                                       "-o",       data.string(),
                                       "--frames", std::to_string(o.frames),
                                       "--unseen", std::to_string(o.unseen),
                                       "--seed",   std::to_string(o.seed)};
  if (o.vertices > 0) simulate.insert(simulate.end(), {"--vertices", std::to_string(o.vertices)});
  // A training that was stopped goes on; one that was not begins.
  std::vector<std::string> train = {"train",     data.string(), "-o",      exact.string(),
                                    "--storage", "fp32",        "--resume"};
  train.insert(train.end(), o.train.begin(), o.train.end());
  std::vector<Step> steps = {
      {simulate, {}, {data / "manifest.json"}},
      {train, {data / "manifest.json"}, {exact}},
      {{"evaluate", exact.string(), data.string(), "--json", json.string(), "--html", page.string()},
       {exact},
       {page, json}},
      {{"pack", exact.string(), "-o", packed.string(), "--data", data.string()}, {exact}, {packed}}};
  if (o.quiet)
    for (const size_t k : {size_t{0}, size_t{1}}) steps[k].words.push_back("--quiet");
  return steps;
}

// All that it makes is there, and not older than what it is made from.
bool is_done(const Step& step) {
  for (const fs::path& made : step.makes) {
    if (!fs::exists(made)) return false;
    for (const fs::path& from : step.from)
      if (!fs::exists(from) || fs::last_write_time(made) < fs::last_write_time(from)) return false;
  }
  return true;
}

void run_step(const Step& step, const std::string& line) {
  const std::string program = fs::read_symlink("/proc/self/exe").string();
  std::vector<char*> argv{const_cast<char*>(program.c_str())};
  for (const std::string& w : step.words) argv.push_back(const_cast<char*>(w.c_str()));
  argv.push_back(nullptr);
  pid_t child = 0;
  int status = 0;
  if (posix_spawn(&child, program.c_str(), nullptr, nullptr, argv.data(), environ) != 0 ||
      waitpid(child, &status, 0) != child || !WIFEXITED(status) || WEXITSTATUS(status) != 0)
    throw std::runtime_error(
        "make: this step failed, and make goes on from here when it is started again:\n  " + line);
}

void run_make(MakeOptions o) {
  if (o.folder.empty()) o.folder = "data/" + o.garment + "_made";
  if (!o.dry_run) make_folder(o.folder);
  bool later = false;  // something before it was made anew
  for (const Step& step : steps_of(o)) {
    std::string line = "billow";
    for (const std::string& w : step.words) line += " " + w;
    const bool done = !later && is_done(step);
    if (!o.quiet || o.dry_run) std::printf("%s%s\n", done ? "done already: " : "", line.c_str());
    std::fflush(stdout);
    later = later || !done;
    if (!done && !o.dry_run) run_step(step, line);
  }
}

}  // namespace

void add_make(CLI::App& app) {
  auto o = std::make_shared<MakeOptions>();
  CLI::App* command =
      app.add_subcommand("make", "From nothing to a garment file: simulate, train, evaluate, pack");
  command->add_option("garment", o->garment, "cape or skirt")
      ->required()
      ->check(CLI::IsMember({"cape", "skirt"}));
  command->add_option("-o,--out", o->folder, "Folder for all of it; default: data/GARMENT_made");
  command->add_option("--frames", o->frames, "Frames to learn from")
      ->capture_default_str()
      ->check(CLI::Range(1, 10'000'000));
  command->add_option("--unseen", o->unseen, "Frames of clips that are never learnt from")
      ->capture_default_str();
  command->add_option("--vertices", o->vertices, "Fewer than the garment has, for a quick try");
  command->add_option("--seed", o->seed, "Another seed makes other motions")->capture_default_str();
  command->add_option("--train", o->train,
                      "A further word for `billow train`, as often as need be: --train=--epochs=20");
  command->add_flag("--dry-run", o->dry_run, "Print the commands only");
  command->add_flag("--quiet", o->quiet, "Print as little as can be");
  command->footer(
      "A job that was stopped goes on where it was when it is started again; what is there and up to date is "
      "not made again.\n\n"
      "Examples\n"
      "  billow make cape --dry-run\n"
      "  billow make cape -o data/mine\n"
      "  billow make skirt --frames 300 --unseen 60 --vertices 1500 -o small --train=--epochs=20\n");
  command->callback([o] { run_make(*o); });
}

}  // namespace billow::tool
