// `billow scene`: lists the named scenes, or simulates one, draws it as a strip of pictures and prints measurements.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <stdexcept>

#include "commands.h"
#include "draw_scene.h"
#include "files.h"
#include "number_from.h"
#include "play.h"
#include "scenes.h"

namespace billow::tool {
namespace {

struct RunOptions {
  std::string name;
  double seconds = 4, hz = 60;
  std::string folder = "out";
  bool json = false;
};

void list_scenes() {
  for (const std::string& name : scenes::names())
    std::printf("%-22s %s\n", name.c_str(), scenes::make(name).about.c_str());
}

void run_scene(const RunOptions& options) {
  const std::filesystem::path folder = make_folder(options.folder);
  scenes::Scene scene = scenes::make(options.name);
  std::vector<Snapshot> moments;
  const Numbers numbers = play_and_keep(scene, options.seconds, options.hz, 8, moments);
  const std::filesystem::path picture = folder / (options.name + ".png");
  draw::write_png(scene_strip(scene, moments), picture);

  if (options.json) {
    std::fputs(as_json(numbers, picture.string()).c_str(), stdout);
  } else {
    std::fputs(as_table(numbers).c_str(), stdout);
    std::printf("%-26s%s\n", "picture", picture.string().c_str());
  }
}

// Returns an error message that lists the scenes if there is none of this name, else an empty string.
std::string check_scene_name(const std::string& name) {
  const std::vector<std::string> known = scenes::names();
  if (std::find(known.begin(), known.end(), name) != known.end()) return "";
  std::string message = "there is no scene '" + name + "'; the scenes are";
  for (const std::string& other : known) message += (&other == &known.front() ? " " : ", ") + other;
  return message;
}

}  // namespace

void add_scene(CLI::App& app) {
  CLI::App* scene = app.add_subcommand("scene", "List the named scenes, or play one of them");
  scene->footer(
      "Examples\n"
      "  billow scene list\n"
      "  billow scene run cape_running\n");
  scene->require_subcommand(1);
  scene->add_subcommand("list", "Print the names of the scenes and what they show")->callback(list_scenes);

  auto options = std::make_shared<RunOptions>();
  CLI::App* run =
      scene->add_subcommand("run", "Play a scene, draw it as a strip of pictures and print its figures");
  run->add_option("name", options->name, "Name of the scene; `billow scene list` prints the names")
      ->required()
      ->check(CLI::Validator(check_scene_name, "NAME"));
  run->add_option("--seconds", options->seconds, "Time to play, in seconds")
      ->check(number_from(0.001, 3600))
      ->capture_default_str();
  run->add_option("--hz", options->hz, "Frame rate")->check(number_from(4, 10000))->capture_default_str();
  run->add_option("-o,--out", options->folder, "Output folder; created if it does not exist")
      ->capture_default_str();
  run->add_flag("--json", options->json, "Print the figures as JSON");
  run->footer(
      "Examples\n"
      "  billow scene run skirt_kicking --seconds 3 -o pictures\n"
      "  billow scene run swing --hz 30 --json\n");
  run->callback([options] { run_scene(*options); });
}

}  // namespace billow::tool
