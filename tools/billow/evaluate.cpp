// `billow evaluate`: judges what a garment file shows on the unseen clips of a data set, then compares its networks with
// baselines where the program has a comparison (research/). See docs/evaluation.md.
#include <unistd.h>

#include <cstdio>
#include <memory>
#include <utility>

#include "commands.h"
#include "evaluate/report.h"
#include "files/whole_file.h"
#include "frames_for.h"
#include "learn/model.h"
#include "number_from.h"
#include "pack/garment_asset.h"
#include "research_parts.h"
#include "ropes/simulate_ropes.h"
#include "shipped.h"
#include "stranger.h"

namespace billow::tool {
namespace {

namespace fs = std::filesystem;

constexpr const char* kPrint = "-";  // value of --json without a file name

struct EvaluateOptions {
  std::string file, data, json, html;
  double rate = 60;
  std::string learn, device = "auto";
  size_t seed = 1;  // of the stranger
  bool stranger = false, quick = false, store = false, quiet = false;
  size_t threads = 0;
};

// Check output folders first: an evaluation takes minutes.
void check_folder_of(const std::string& file) {
  const fs::path folder = fs::absolute(file).parent_path();
  if (!fs::is_directory(folder))
    throw std::runtime_error(file + ": expected a folder " + folder.string() + ", found none");
}

void run(EvaluateOptions o, const evaluate::Compare& compare) {
  const std::string given = std::exchange(o.file, garment_file(o.file));
  if (o.store && o.file != given)
    throw CLI::ValidationError(
        "--store", "expected a garment file of your own, found the " + given + " that comes with Billow");
  for (const std::string& file : {o.json, o.html})
    if (!file.empty() && file != kPrint) check_folder_of(file);
  if (o.stranger) check_stranger();
  pack::GarmentData packed = pack::read_garment_asset(o.file);
  learn::Frames frames = frames_for(o.file, packed.garment, o.data);
  // Compare on chains with the file's settings: the chains stored in the data set may have used others.
  if (compare)
    frames.replace_ropes(learn::corrected(
        packed.correction, ropes::simulate_ropes(frames, {packed.settings, packed.force}, o.threads)));

  const learn::ClothModel model = std::move(packed.model);
  evaluate::ComparisonTask task{frames, model, packed.extra, o.quick, o.threads};
  if (isatty(2)) task.progress = [](const std::string& what) { std::fprintf(stderr, "%s\n", what.c_str()); };
  const evaluate::JudgeOptions product{.file = o.file, .rate = o.rate, .threads = o.threads};
  evaluate::Report report = evaluate::evaluate(task, product, compare);
  if (o.stranger) {
    if (task.progress) task.progress("stranger");
    add_stranger_figures({o.file, o.data, o.learn, o.device, o.rate, o.threads, o.seed}, *report.product);
  }

  if (o.json == kPrint)
    std::printf("%s\n", to_json(report).c_str());
  else if (!o.quiet)
    std::printf("%s, measured on %s\n%s", o.file.c_str(), o.data.c_str(), to_text(report).c_str());
  if (!compare && !o.quiet)
    std::fprintf(stderr,
                 "no comparison with baselines: this build is without research (BILLOW_BUILD_RESEARCH)\n");
  if (o.store)
    files::write_whole_file(o.file, pack::with_training(files::read_whole_file(o.file),
                                                        evaluate::with_figures(packed.training, report)));
  if (!o.json.empty() && o.json != kPrint) files::write_whole_file(o.json, to_json(report) + "\n");
  if (!o.html.empty()) files::write_whole_file(o.html, to_html(report));
}

}  // namespace

void add_evaluate(CLI::App& app, const ResearchParts& research) {
  auto o = std::make_shared<EvaluateOptions>();
  CLI::App* command = app.add_subcommand(
      "evaluate", "Judge a garment file on a data set: what it shows, beside the reference and baselines");
  command->add_option("file", o->file, kGarmentFileHelp)->required();
  command->add_option("data", o->data, "Folder of the data set")->required();
  command
      ->add_option(
          "--json", o->json,
          "Write all figures to this file as JSON; without a file name, print JSON instead of the table")
      ->expected(0, 1)
      ->default_str(kPrint);
  command->add_option("--html", o->html, "Write a report with plots to this file");
  command
      ->add_option("--rate", o->rate,
                   "Rate of the runtime in frames per second; it becomes a multiple of the data set's rate")
      ->capture_default_str()
      ->check(number_from(1, 1000));
  command->add_flag(
      "--stranger", o->stranger,
      "Also train a network to tell the product from the reference (runs billow-stranger, which "
      "needs libtorch; minutes)");
  command->add_option(
      "--learn", o->learn,
      "Data set whose training clips --stranger learns from, for one that has test clips only; "
      "default: the same");
  command->add_option("--device", o->device, "Device of --stranger: auto (CUDA if available), cpu or cuda")
      ->check(CLI::IsMember({"auto", "cpu", "cuda"}))
      ->capture_default_str();
  command->add_option("--seed", o->seed, "Random seed of --stranger")->capture_default_str();
  command->add_flag(
      "--quick", o->quick,
      "Measure every eighth training frame only, and neither STED nor surface-to-surface distances");
  command->add_flag(
      "--store", o->store,
      "Store the figures in the garment file's training report, where `billow info` shows them; of a data "
      "set without training frames only those of the product. All else stays byte for byte");
  command->add_option("--threads", o->threads, "Number of threads; 0 uses all cores")->capture_default_str();
  command->add_flag("--quiet", o->quiet, "Do not print the table");
  command->footer(
      "Examples\n"
      "  billow evaluate cape.billow data/cape\n"
      "  billow evaluate cape data/cape --json\n"
      "  billow evaluate cape.billow data/cape --stranger\n"
      "  billow evaluate cape.billow data/six_clips --store\n"
      "  billow evaluate cape.billow data/cape --json cape.json --html cape.html\n");
  command->callback([o, compare = research.compare] { run(*o, compare); });
}

}  // namespace billow::tool
