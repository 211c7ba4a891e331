// `billow body fit`: fits colliders to a skinned character, measures the error and draws it.
#include "body_fit.h"

#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <stdexcept>

#include "body/postures.h"
#include "character_options.h"
#include "draw_fit.h"
#include "files.h"
#include "fit/body_file.h"
#include "fit/fit_colliders.h"

namespace billow::tool {
namespace {

struct BodyFitOptions {
  std::string preset;
  CharacterOptions character;
  std::string out = "body.json";
  std::string keep, measure;
  std::vector<std::string> clips;
  bool no_pictures = false, no_boxes = false;
  size_t poses = 8;
  fit::ColliderFitOptions fit;
};

// Disjoint sets of poses for fitting and for measuring the error.
struct Poses {
  std::vector<body::Pose> fitted, measured;
};

importer::Character read(const BodyFitOptions& options) {
  if (!options.preset.empty()) {
    const body::Person person = body::make_person(body::person_preset(options.preset));
    importer::Character out;
    out.name = options.preset + " person";
    out.skeleton = person.skeleton;
    out.skin = body::make_skin(person);
    // Use random poses within the joint limits as its clip.
    motion::Clip clip;
    clip.name = "poses";
    for (uint32_t k = 0; k < 60; ++k) clip.frames.push_back(body::random_pose(person, k + 1));
    out.clips.push_back(std::move(clip));
    return out;
  }
  return read_character(options.character);
}

Poses choose(const importer::Character& character, const BodyFitOptions& options) {
  std::vector<motion::Clip> clips = character.clips;
  if (!options.clips.empty()) {
    clips.clear();
    for (const std::string& name : options.clips) clips.push_back(clip_named(character, name));
  }
  std::vector<body::Pose> all =
      fit::choose_poses(character.skeleton, character.skin, clips, 2 * options.poses);
  if (all.empty()) {
    std::printf("no clips: measured in poses with every joint bent a little at random\n");
    all = fit::random_bends(character.skeleton, character.skin, 2 * options.poses);
  }
  Poses out;
  for (size_t k = 0; k < all.size(); ++k) (k % 2 == 0 ? out.fitted : out.measured).push_back(all[k]);
  return out;
}

// Progress line with the time left; shown only on a terminal and after 2 s.
class FittingProgress {
 public:
  void operator()(double share) {
    const double elapsed = seconds();
    if (!is_terminal_ || elapsed < 2 || elapsed - last_ < 0.2) return;
    last_ = elapsed;
    std::fprintf(stderr, "\rfitting: %3.0f %%, about %.0f s left ", 100 * share,
                 elapsed * (1 - share) / share);
    written_ = true;
  }
  void done() const {
    if (written_) std::fprintf(stderr, "\r%60s\r", "");
  }
  double seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point start_ = Clock::now();
  double last_ = 0;
  bool is_terminal_ = isatty(2) != 0, written_ = false;
};

const char* shape_name(billow_shape shape) {
  switch (shape) {
    case BILLOW_SHAPE_SPHERE:
      return "sphere";
    case BILLOW_SHAPE_ELLIPSOID:
      return "ellipsoid";
    case BILLOW_SHAPE_BOX:
      return "box";
    default:
      return "capsule";
  }
}

void print_error(const fit::ColliderFitError& error, std::span<const fit::NamedCollider> colliders) {
  const auto mm = [](const fit::FitDistances& d) {
    char text[64];
    std::snprintf(text, sizeof text, "%6.1f %6.1f %6.1f", 1000 * d.mean, 1000 * d.p95, 1000 * d.max);
    return std::string(d.points > 0 ? text : "     -      -      -");
  };
  const auto row = [&](const char* name, const char* shape, double share, const fit::TwoWayDistances& rest,
                       const fit::TwoWayDistances& posed) {
    std::printf("  %-20.20s %-9s %4.0f %%  %s   %s   %s   %s\n", name, shape, 100 * share,
                mm(rest.to_zero_set).c_str(), mm(rest.to_skin).c_str(), mm(posed.to_zero_set).c_str(),
                mm(posed.to_skin).c_str());
  };
  std::printf(
      "\ndistances in mm: mean, p95, largest\n"
      "  %-20s %-9s %6s  %-22s  %-22s  %-22s  %s\n"
      "  %-20s %-9s %6s  %-22s  %-22s  %-22s  %s\n",
      "", "", "", "at rest", "", "in poses", "", "collider", "shape", "skin", "skin to zero set",
      "zero set to skin", "skin to zero set", "zero set to skin");
  for (size_t i = 0; i < colliders.size(); ++i)
    row(colliders[i].name.c_str(), shape_name(colliders[i].collider.shape), error.colliders[i].skin_fraction,
        error.colliders[i].rest, error.colliders[i].posed);
  row("all", "", 1, error.rest, error.posed);
  std::printf("  %.1f %% of the skin is hidden (folds, insides, what is covered) and left out\n\n",
              100 * error.hidden_fraction);
}

void fit_body(BodyFitOptions options) {
  if (options.character.name.empty() && options.preset.empty())
    throw CLI::RequiredError("a character's file, or --preset,");
  const bool only_measure = !options.measure.empty();
  const std::filesystem::path out = options.out;
  const importer::Character character = read(options);
  if (character.skin.mesh.triangles.empty())
    throw std::runtime_error(options.character.name + ": expected a character with a skin, found no mesh");
  for (const std::string& note : character.notes) std::printf("note: %s\n", note.c_str());
  std::printf("%s: %zu joints, %zu vertices, %zu triangles, %zu clips\n", character.name.c_str(),
              character.skeleton.size(), character.skin.mesh.positions.size(),
              character.skin.mesh.triangles.size(), character.clips.size());
  const Poses poses = choose(character, options);

  FittingProgress progress;
  options.fit.boxes = !options.no_boxes;
  options.fit.progress = [&](double share) { progress(share); };
  const std::string& start = only_measure ? options.measure : options.keep;
  std::vector<fit::NamedCollider> colliders;
  if (!start.empty()) colliders = bind(fit::read_body_file(start), character.skeleton);
  if (!only_measure) {
    colliders = start.empty() ? fit_colliders(character.skeleton, character.skin, poses.fitted, options.fit)
                              : refit_colliders(character.skeleton, character.skin, poses.fitted, colliders,
                                                options.fit);
    progress.done();
    std::printf("%zu colliders in %.1f s\n", colliders.size(), progress.seconds());
  }
  const fit::ColliderFitError error =
      measure_fit(character.skeleton, character.skin, colliders, poses.measured);
  print_error(error, colliders);
  for (const std::string& warning : poor_fits(error)) std::printf("warning: %s\n", warning.c_str());

  if (out.has_parent_path()) make_folder(out.parent_path());
  if (!only_measure) {
    write_body_file(make_body_file(character.name, character.skeleton, colliders), out);
    std::printf("%s\n", out.string().c_str());
  }
  if (options.no_pictures) return;
  const auto picture_file = [&](const char* what) {
    return out.parent_path() / (out.stem().string() + "_" + what + ".png");
  };
  draw_fitted_colliders(character.skeleton, character.skin, colliders, poses.measured,
                        picture_file("colliders"));
  draw_fit_error(character.skeleton, character.skin, error, picture_file("error"));
  std::printf("%s\n%s\n", picture_file("colliders").string().c_str(), picture_file("error").string().c_str());
}

}  // namespace

void add_body_fit(CLI::App* body_command) {
  auto options = std::make_shared<BodyFitOptions>();
  options->character.name.clear();
  CLI::App* fit = body_command->add_subcommand(
      "fit", "Fit colliders to a character's skin, measure their error, and write a body file");
  auto* file = fit->add_option(
      "character", options->character.name,
      "Character file: .glb, .gltf, .fbx, .dae, or MakeHuman's .mhskel with --mesh and --weights");
  fit->add_option("--preset", options->preset,
                  "Built-in person to fit instead of a file: slim, average or heavy")
      ->check(CLI::IsMember(body::person_presets()))
      ->excludes(file);
  add_character_file_options(*fit, options->character);
  fit->add_option("-o,--out", options->out, "Body file to write (.json); pictures are written next to it")
      ->capture_default_str();
  fit->add_option("--clip", options->clips, "Names of the clips to take poses from; default: all");
  fit->add_option("--poses", options->poses,
                  "Number of poses to fit in; the error is measured in as many others")
      ->check(CLI::Range(0, 100))
      ->capture_default_str();
  fit->add_option("--most", options->fit.max_colliders, "Maximum number of colliders")
      ->check(CLI::Range(1, BILLOW_MAX_COLLIDERS))
      ->capture_default_str();
  fit->add_option("--split", options->fit.split, "Names of colliders to split in two");
  fit->add_flag("--no-boxes", options->no_boxes, "Fit capsules, ellipsoids and spheres, but no boxes");
  auto* keep = fit->add_option("--keep", options->keep,
                               "Start from this body file; colliders marked \"fixed\" in it are kept");
  fit->add_option("--measure", options->measure, "Measure the error of this body file instead of fitting")
      ->excludes(keep);
  fit->add_flag("--no-pictures", options->no_pictures, "Do not draw pictures");
  fit->callback([options] { fit_body(*options); });
}

}  // namespace billow::tool
