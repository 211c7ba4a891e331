// `billow dataset import`: imports mesh caches of other tools as a data set.
#include <algorithm>
#include <cstdio>
#include <memory>
#include <thread>

#include "body/person.h"
#include "dataset/exchange/caches.h"
#include "dataset_exchange.h"
#include "fit/body_file.h"
#include "garment/garment_file.h"
#include "import/character.h"
#include "motion_file.h"
#include "progress.h"

namespace billow::tool {
namespace {

struct ImportOptions {
  dataset::ImportJob job;
  std::vector<std::string> caches, motions;
  std::vector<int> offsets;
  std::string garment, rest, preset = "average", character, body;
  float motion_scale = 0;
  bool dry_run = false, quiet = false;
};

dataset::OwnedCharacterBody import_character(const ImportOptions& o) {
  if (o.character.empty() != o.body.empty())
    throw std::runtime_error("expected --character and --body together: the skeleton and its colliders");
  if (o.character.empty()) return dataset::person_as_character_body(o.preset);
  const importer::Character c = importer::read_character(o.character, {.scale = o.motion_scale});
  try {
    return dataset::own_character_body(c.name, c.skeleton, fit::read_body_file(o.body));
  } catch (const std::invalid_argument& e) {
    throw std::runtime_error(o.body + ": " + e.what());
  }
}

// Reads the rest: a .npy array of positions, or the first frame of a cache.
std::vector<V3> read_rest(const std::string& file, size_t vertices, const cache::OpenOptions& open) {
  std::vector<V3> rest;
  if (std::filesystem::path(file).extension() == ".npy") {
    garment::NpyPositions array = garment::read_npy_positions(file);
    if (array.shape.size() == 2) rest = std::move(array.positions);
  } else {
    const auto reader = cache::open_cache(file, open);
    rest.resize(reader->info().topology.vertices);
    reader->read(0, rest);
  }
  if (rest.size() != vertices)
    throw std::runtime_error(file + ": expected places of the garment's " + std::to_string(vertices) +
                             " vertices, found " + std::to_string(rest.size()));
  return rest;
}

void read_garment(const ImportOptions& o, dataset::ImportJob& job) {
  if (o.garment.empty()) throw std::runtime_error("expected --garment garment.json");
  job.garment = garment::read_garment_file(o.garment, job.character_body.skeleton);
  if (!o.rest.empty()) job.garment.rest = read_rest(o.rest, job.garment.size(), job.open);
  if (job.garment.rest.empty())
    throw std::runtime_error(
        o.garment +
        ": expected a garment that has its rest, the steady drape on the resting character: give --rest "
        "FILE, a "
        "cache whose first frame it is, or make it with `billow garment describe --drape`");
}

// --offset is given once for all clips or once per clip.
int offset_of(const ImportOptions& o, size_t clip) {
  if (o.offsets.empty()) return 0;
  return o.offsets.size() == 1 ? o.offsets[0] : o.offsets.at(clip);
}

void add_clips(const ImportOptions& o, dataset::ImportJob& job) {
  const auto expect = [&](const char* option, size_t found) {
    if (found != o.caches.size())
      throw std::runtime_error(std::string(option) + ": expected one for each of " +
                               std::to_string(o.caches.size()) + " caches, in the same order, found " +
                               std::to_string(found));
  };
  expect("--motion", o.motions.size());
  if (o.offsets.size() > 1) expect("--offset", o.offsets.size());
  // Copy the character: import threads call the lambdas below, and the job may be moved.
  const auto character_body = std::make_shared<const dataset::OwnedCharacterBody>(job.character_body);
  for (size_t c = 0; c < o.caches.size(); ++c) {
    const std::string& name = o.motions[c];
    check_motion_name(name);
    job.clips.push_back({o.caches[c], name,
                         [character_body, name, scale = o.motion_scale](size_t frames, double rate) {
                           return motion_for(name, character_body->skeleton, character_body->preset, frames,
                                             rate, scale);
                         },
                         offset_of(o, c)});
  }
}

void print_plan(const ImportOptions& o) {
  const dataset::ImportPlan plan = dataset::plan_import(o.job);
  size_t frames = 0, unseen = 0;
  for (size_t c = 0; c < plan.clips.size(); ++c) {
    const dataset::ImportedClip& clip = plan.clips[c];
    const bool is_unseen = clip.parts.find('u') != std::string::npos;
    std::printf("%-20s %5zu frames, %s%s%s, seam within %.1f mm\n", clip.name.c_str(),
                clip.motion.frames.size(), o.motions[c].c_str(), is_unseen ? ", unseen" : "",
                clip.already_imported ? ", already there" : "",
                1000 * static_cast<double>(clip.attachment_gap));
    frames += clip.motion.frames.size(), unseen += is_unseen ? clip.motion.frames.size() : 0;
  }
  std::printf("%zu clips, %zu frames at %g a second, %zu of them in clips that are never learnt from\n",
              plan.clips.size(), frames, plan.frames_per_second, unseen);
}

void run_import(ImportOptions o) {
  dataset::ImportJob& job = o.job;
  if (job.append) {
    if (!o.garment.empty() || !o.rest.empty() || !o.character.empty())
      throw std::runtime_error(
          "--append: garment and character are those of the data set; leave out --garment, --rest, "
          "--character");
    const dataset::DatasetInfo info = dataset::read_dataset(job.folder);
    job.character_body = info.character_body();
    job.garment = garment::read_garment_file(info.folder / "garment.json", job.character_body.skeleton);
  } else {
    job.character_body = import_character(o);
    read_garment(o, job);
  }
  add_clips(o, job);
  Progress line("importing");
  job.report = [&](const dataset::Progress& p) {
    if (!o.quiet && p.frames > 0) line(static_cast<double>(p.frames_done) / static_cast<double>(p.frames));
  };
  if (o.dry_run) return print_plan(o);
  const dataset::ImportPlan plan = dataset::import_caches(job);
  if (o.quiet) return;
  float gap = 0;
  for (const dataset::ImportedClip& clip : plan.clips) gap = std::max(gap, clip.attachment_gap);
  const dataset::DatasetInfo info = dataset::read_dataset(job.folder);
  print_left_out(info);
  std::printf("seams are within %.1f mm of where the body takes them, on average in the worst frame\n",
              1000 * static_cast<double>(gap));
  std::printf("%s: %zu frames in %zu clips, done in %.0f s\n", job.folder.string().c_str(), info.frames(),
              info.clips.size(), line.seconds());
}

void add_input_options(CLI::App* command, ImportOptions& o) {
  command
      ->add_option(
          "caches", o.caches,
          "Caches to import, one per clip: .pc2, .mdd, .glb, .gltf, a folder of .obj files, or cape_####.obj")
      ->required();
  command
      ->add_option("--motion", o.motions,
                   "Body motion of each cache, in the same order: a motion file (run.bvh, hero.glb:Running), "
                   "a captured clip (captured:07_03), or a built-in motion with its seed (walk:7)")
      ->required();
  command->add_option("--garment", o.garment, "Garment description of the cloth: garment.json");
  command->add_option(
      "--rest", o.rest,
      "Drape of the garment on the resting character, where garment.json has none: a cache, of "
      "which the first frame is used, or a .npy file");
  command->add_option("--preset", o.preset, "Built-in person who wears the garment: slim, average or heavy")
      ->check(CLI::IsMember(body::person_presets()))
      ->capture_default_str();
  command->add_option(
      "--character", o.character,
      "Character whose skeleton wears the garment instead (.glb, .gltf, .fbx, .bvh); needs --body");
  command->add_option("--body", o.body,
                      "Body file with the colliders of --character, as written by `billow body fit`");
  command->add_option("-o,--out", o.job.folder, "Folder of the data set")->required();
}

void add_import_options(CLI::App* command, ImportOptions& o) {
  command
      ->add_option(
          "--fps", o.job.open.fps,
          "Frame rate: glTF is sampled at it, other formats are assumed to have it; 0 uses the files' own")
      ->check(CLI::Range(0.0, 240.0))
      ->capture_default_str();
  command
      ->add_option(
          "--offset", o.offsets,
          "Frame of the motion at which the cloth begins, one for all caches or one each; a negative "
          "number skips that many frames of cloth")
      ->check(CLI::Range(-1'000'000, 1'000'000));
  command->add_flag("--part", o.job.part_of_motion, "Allow caches that end before their motions");
  command
      ->add_option("--scale", o.job.open.scale,
                   "Factor applied to positions of the cloth: 0.01 converts centimetres to metres")
      ->check(CLI::Range(1e-9, 1e9))
      ->capture_default_str();
  command->add_flag("--z-up", o.job.open.z_up, "Rotate cloth that has z up, so that y is up");
  command
      ->add_option("--motion-scale", o.motion_scale,
                   "Metres per unit of motion and character files; 0 uses the files' own, or a guess")
      ->check(CLI::Range(0.0, 1000.0))
      ->capture_default_str();
  command->add_option(
      "--unseen", o.job.unseen,
      "Test clips that training never sees: their number, counted from the last, or their names");
  command->add_option("--seed", o.job.seed, "Random seed of the split into training, validation and holdout")
      ->capture_default_str();
  command->add_flag("--append", o.job.append, "Append to the data set in --out");
  command->add_option("--threads", o.job.threads, "Number of clips imported in parallel")
      ->check(CLI::Range(1, 1024))
      ->capture_default_str();
  command->add_flag("--dry-run", o.dry_run,
                    "Read and check all files and print the planned clips, without writing");
  command->add_flag("--quiet", o.quiet, "Print errors only");
}

}  // namespace

void add_dataset_import(CLI::App* command) {
  auto options = std::make_shared<ImportOptions>();
  options->job.threads = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  CLI::App* import = command->add_subcommand("import", "Import caches of other tools as a data set");
  add_input_options(import, *options);
  add_import_options(import, *options);
  import->footer(
      "Started again, an interrupted job continues. A motion file that has the character's joints is used as "
      "it "
      "is;\n"
      "other motions are retargeted to the character, as `billow motion show` does.\n\n"
      "Examples\n"
      "  billow dataset import run.pc2 turn.pc2 --fps 24 --z-up --garment cape.json --motion run.bvh "
      "turn.bvh "
      "-o data/cape\n"
      "  billow dataset import 'walk/cape.####.obj' --fps 30 --garment cape.json --motion walk:7 -o "
      "data/cape "
      "--dry-run\n"
      "  billow dataset import a.mdd b.mdd --garment coat.json --character hero.glb --body hero.json \\\n"
      "      --motion hero.glb:Walk hero.glb:Run --unseen 1 -o data/coat\n"
      "  billow dataset import c.mdd --motion hero.glb:Jump --append -o data/coat\n");
  import->callback([options] { run_import(*options);
});
}  // namespace billow::tool

}  // namespace billow::tool
