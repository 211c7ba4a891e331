#include "character_options.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <stdexcept>

#include "fit/body_file.h"
#include "import/makehuman.h"

namespace billow::tool {

namespace {
constexpr const char* kGroup = "Character";
}

bool CharacterOptions::is_preset() const {
  const auto& presets = body::person_presets();
  return std::find(presets.begin(), presets.end(), name) != presets.end();
}

void add_skinned_character_options(CLI::App& command, CharacterOptions& o) {
  command
      .add_option("--character", o.name,
                  "Character that wears the garment: slim, average or heavy for the built-in person, a .glb, "
                  ".gltf, .fbx or .dae file, or MakeHuman's .mhskel with --mesh and --weights")
      ->capture_default_str()
      ->group(kGroup);
  add_character_file_options(command, o);
}

void add_character_file_options(CLI::App& command, CharacterOptions& o) {
  command.add_option("--mesh", o.mesh, "MakeHuman base mesh of a .mhskel (.obj)")->group(kGroup);
  command.add_option("--weights", o.weights, "MakeHuman skin weights of a .mhskel (.mhw)")->group(kGroup);
  command.add_option("--character-scale", o.scale, "Metres per unit of the character file; default: its own")
      ->check(CLI::Range(1e-6, 1e6))
      ->group(kGroup);
  command
      .add_option("--leave-out", o.leave_out,
                  "Names of the character's nodes whose meshes are no skin: weapons, capes")
      ->group(kGroup);
}

void add_character_options(CLI::App& command, CharacterOptions& o) {
  add_skinned_character_options(command, o);
  command
      .add_option("--body", o.body,
                  "Body file with the colliders of a character file, as `billow body fit` writes it")
      ->group(kGroup);
}

importer::Character read_character(const CharacterOptions& o) {
  if (std::filesystem::path(o.name).extension() != ".mhskel")
    return importer::read_character(o.name, {.scale = o.scale, .leave_out = o.leave_out});
  if (o.mesh.empty() || o.weights.empty()) throw CLI::RequiredError("--mesh and --weights, with a .mhskel,");
  return importer::read_makehuman({.mesh = o.mesh, .skeleton = o.name, .weights = o.weights});
}

GivenCharacter::GivenCharacter(const CharacterOptions& options) : options_(options) {
  if (options.is_preset()) {
    if (!options.body.empty())
      throw CLI::ValidationError("--body", "expected with a character file, found the built-in person " +
                                               options.name + ", who has colliders");
    body_ = dataset::person_as_character_body(options.name);
    return;
  }
  file_ = read_character(options);
  if (file_.skin.mesh.triangles.empty())
    throw std::runtime_error(options.name + ": expected a character with a skin, found no mesh");
  body_ = {"", file_.name, file_.skeleton, {}, {}};
  if (options.body.empty()) return;
  try {
    body_ = dataset::own_character_body(file_.name, file_.skeleton, fit::read_body_file(options.body));
  } catch (const std::invalid_argument& e) {
    throw std::runtime_error(options.body + ": " + e.what());
  }
}

const body::Skin& GivenCharacter::skin() {
  if (!file_.skin.mesh.positions.empty()) return file_.skin;
  if (skin_.mesh.positions.empty()) skin_ = body::make_skin(body_.skeleton, body_.colliders);
  return skin_;
}

const dataset::OwnedCharacterBody& GivenCharacter::body() const {
  if (body_.preset.empty() && options_.body.empty())
    throw std::runtime_error(options_.name +
                             ": expected its colliders too: `billow body fit` fits them, --body takes them");
  return body_;
}

}  // namespace billow::tool
