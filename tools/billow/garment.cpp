// `billow garment`: lists, makes and draws garments.
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <thread>

#include "body/person.h"
#include "body/postures.h"
#include "character/clothed_character.h"
#include "character_options.h"
#include "commands.h"
#include "draw_garment.h"
#include "files.h"
#include "garment/garment_file.h"
#include "garment/tailor.h"
#include "garment_describe.h"
#include "progress.h"

namespace billow::tool {
namespace {

struct GarmentMakeOptions {
  std::string name, preset = "average", out;
  size_t vertices = 0;
  int threads = 0;
  bool no_drape = false, quick_skin = false;
};

struct GarmentShowOptions {
  std::string file, out;
  CharacterOptions character;
};

void print_row(const garment::Garment& g, const std::string& about) {
  size_t min_bones = g.chains[0].size() - 1, max_bones = min_bones;
  for (const auto& chain : g.chains) {
    min_bones = std::min(min_bones, chain.size() - 1);
    max_bones = std::max(max_bones, chain.size() - 1);
  }
  const size_t simulated = garment::simulated_bones(g);
  const std::string bones = min_bones == max_bones
                                ? std::to_string(max_bones)
                                : std::to_string(min_bones) + " to " + std::to_string(max_bones);
  std::printf("%-8s %8zu %7zu %9s %9zu %9zu %10.1f  %-8s %s\n", g.name.c_str(), g.size(), g.chains.size(),
              bones.c_str(), simulated, g.bones.size() - simulated,
              static_cast<double>(g.size()) / static_cast<double>(simulated), g.key_joint.c_str(),
              about.c_str());
}

void list_garments() {
  const body::Person person = body::make_person();
  // A coarse skin suffices: the layout of chains does not depend on skinning weights.
  const body::Skin skin = body::make_skin(person.skeleton, person.colliders, {.vertices = 4000});
  std::printf("%-8s %8s %7s %9s %9s %9s %10s  %-8s\n", "name", "vertices", "chains", "bones", "simulated",
              "following", "reduction", "key");
  for (const garment::BuiltIn& b : garment::built_in_garments())
    print_row(garment::make_garment(b.name, person, skin), b.about);
  std::printf(
      "\nSimulated bones, those that follow the body, and the reduction of degrees of freedom: three times "
      "the vertices\n"
      "over three times the simulated bones.\n");
}

void make(const GarmentMakeOptions& o) {
  const std::filesystem::path out = o.out.empty() ? o.name + ".json" : o.out;
  if (out.has_parent_path()) make_folder(out.parent_path());
  const body::Person person = body::make_person(body::person_preset(o.preset));
  const body::Skin skin =
      o.quick_skin ? body::make_skin(person.skeleton, person.colliders) : body::make_skin(person);
  garment::Garment g = garment::make_garment(o.name, person, skin, o.vertices);
  if (!o.no_drape) drape_on(g, character::character_body(person), o.threads);
  garment::write_garment_file(g, person.skeleton, out);
  std::printf("%s: %zu vertices, %zu chains, %zu simulated bones\n%s\n", g.name.c_str(), g.size(),
              g.chains.size(), garment::simulated_bones(g), out.string().c_str());
}

void show(const GarmentShowOptions& o) {
  GivenCharacter character(o.character);
  const garment::Garment g = garment::read_garment_file(o.file, character.skeleton());
  std::filesystem::path out = o.out;
  if (out.empty()) out = std::filesystem::path(o.file).replace_extension(".png");
  if (out.has_parent_path()) make_folder(out.parent_path());
  draw_garment(g, character.skin(), out);
  std::printf("%s: %zu vertices, %zu chains%s, %zu bones of which %zu are simulated%s\n%s\n", g.name.c_str(),
              g.size(), g.chains.size(), g.closed ? " closed to a ring" : "", g.bones.size(),
              garment::simulated_bones(g), g.rest.empty() ? "; no drape yet" : "", out.string().c_str());
}

void add_garment_make(CLI::App* command) {
  auto o = std::make_shared<GarmentMakeOptions>();
  CLI::App* make_command =
      command->add_subcommand("make", "Cut a built-in garment to a person's measure and simulate its drape");
  std::vector<std::string> names;
  for (const garment::BuiltIn& b : garment::built_in_garments()) names.push_back(b.name);
  make_command->add_option("name", o->name, "Built-in garment: cape or skirt")
      ->required()
      ->check(CLI::IsMember(names));
  make_command->add_option("--preset", o->preset, "Built-in person: slim, average or heavy")
      ->check(CLI::IsMember(body::person_presets()))
      ->capture_default_str();
  make_command->add_option("--vertices", o->vertices, "Number of vertices; default: as in the paper")
      ->check(CLI::Range(100, 1000000));
  make_command
      ->add_option("--threads", o->threads,
                   "Number of threads, which does not change the result; default: all cores")
      ->check(CLI::Range(1, 256));
  make_command->add_flag("--no-drape", o->no_drape, "Keep the flat pattern and do not simulate the drape");
  make_command->add_flag(
      "--quick-skin", o->quick_skin,
      "Attach seams to a skin whose weights are not fitted to the colliders, which is faster");
  make_command->add_option(
      "-o,--out", o->out,
      "Garment description to write (.json), with mesh and drape next to it; default: NAME.json");
  make_command->footer(
      "Examples\n"
      "  billow garment make cape -o garments/cape.json\n"
      "  billow garment make skirt --preset slim --vertices 4000\n");
  make_command->callback([o] { make(*o); });
}

void add_garment_show(CLI::App* command) {
  auto o = std::make_shared<GarmentShowOptions>();
  CLI::App* show_command =
      command->add_subcommand("show", "Draw a garment on its character from three sides, with its chains");
  show_command->add_option("file", o->file, "Garment description (.json)")->required();
  add_skinned_character_options(*show_command, o->character);
  show_command->add_option("-o,--out", o->out, "Picture to write (.png); default: next to the file");
  show_command->footer(
      "Chains are green, neighbours of one height are joined in purple, bones that follow the body are "
      "blue.\n\n"
      "Examples\n"
      "  billow garment show cape.json -o cape.png\n"
      "  billow garment show coat.json --character hero.glb\n");
  show_command->callback([o] { show(*o); });
}

}  // namespace

void drape_on(garment::Garment& g, const character::CharacterBody& character_body, int threads) {
  if (threads == 0) threads = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  character::Drape drape{};
  double seconds = 0;
  {
    Progress progress("draping");
    double last_report = 0;
    drape = character::drape(g, character_body, threads, [&](float share) {
      progress(static_cast<double>(share));
      // Without a terminal, print a line every 10 s instead of the progress bar.
      if (isatty(2) || progress.seconds() - last_report < 10) return;
      last_report = progress.seconds();
      std::printf("draping: %.0f %%\n", 100 * static_cast<double>(share));
      std::fflush(stdout);
    });
    seconds = progress.seconds();
  }
  std::printf("draped: %.1f s of cloth in %.1f s; it still moves by %.2f mm/s on average\n",
              static_cast<double>(drape.seconds), seconds, 1000 * static_cast<double>(drape.mean));
}

void add_garment(CLI::App& app) {
  CLI::App* command =
      app.add_subcommand("garment", "Make, describe and show garments: built-in ones and your own");
  command->require_subcommand(1);
  command->footer(
      "Examples\n"
      "  billow garment list\n"
      "  billow garment make cape -o cape.json\n"
      "  billow garment describe dress.obj --attach waist --chains 26 --bones 9 -o dress.json\n"
      "  billow garment show dress.json -o dress.png\n");
  CLI::App* list = command->add_subcommand("list", "Print the built-in garments and their sizes");
  list->callback([] { list_garments(); });
  add_garment_describe(command);
  add_garment_make(command);
  add_garment_show(command);
}

}  // namespace billow::tool
